import { describe, expect, it } from 'vitest'
import { newWorkspaceConfig, withoutRule, withRule } from './edit-workspace-config.ts'

describe('a rule', () => {
  it('is added at the end of its list, once', () => {
    const text = newWorkspaceConfig('here', undefined)
    const one = withRule(text, 'allow', 'json:*')
    expect(JSON.parse(withRule(one, 'allow', 'fs:read'))).toMatchObject({
      permissions: { allow: ['json:*', 'fs:read'], deny: [], ask: ['*'] },
    })
    expect(withRule(one, 'allow', 'json:*')).toBe(one)
  })

  it('leaves the rest of the text unchanged', () => {
    const text = '{\n\t"permissions": { "deny": ["a:*"], "allow": [] },\n\t"mcpServers":  {}\n}'
    const changed = withRule(text, 'allow', 'b:c')
    expect(changed).toMatch(/^\{\n\t"permissions": \{ "deny": \["a:\*"\], "allow": \[/)
    expect(changed.endsWith('\n\t"mcpServers":  {}\n}')).toBe(true)
  })

  it.each(['{}', '{"permissions": {}}', '{"permissions": {"deny": ["a:*"]}}'])(
    'that comes first keeps the other lock entries wanted: %s',
    (text) => {
      expect(JSON.parse(withRule(text, 'allow', 'b:c'))).toMatchObject({
        permissions: { allow: ['b:c'], ask: ['*'] },
      })
      expect(JSON.parse(withRule(text, 'ask', 'b:c'))).toMatchObject({ permissions: { ask: ['*', 'b:c'] } })
    },
  )

  it('after the first one adds only itself', () => {
    const text = '{"permissions": {"allow": []}}'
    expect(JSON.parse(withRule(text, 'allow', 'b:c'))).toEqual({ permissions: { allow: ['b:c'] } })
  })

  it('is removed from every list', () => {
    const text = '{"permissions": {"allow": ["a:b", "c:d"], "ask": ["a:b"]}}'
    expect(JSON.parse(withoutRule(text, 'a:b'))).toEqual({ permissions: { allow: ['c:d'], ask: [] } })
    expect(withoutRule('{}', 'a:b')).toBe('{}')
  })
})
