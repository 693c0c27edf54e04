import { describe, expect, it } from 'vitest'
import { decide } from './permissions.ts'
import type { ToolName } from './names.ts'
import { parseWorkspaceConfig } from './workspace-config.ts'

const FILE = '.pml.json'
const parse = (value: unknown) => parseWorkspaceConfig(JSON.stringify(value, null, 2), FILE)
const tool = (text: string) => text as ToolName

describe('.pml.json', () => {
  it('has a registry, permissions and grants', () => {
    const config = parse({
      version: 1,
      workspace: 'demo',
      cloud: { url: 'https://registry.example.com' },
      permissions: { allow: ['json:*'], deny: ['shell:sudo_*'], ask: ['*'] },
      grants: { 'http:get': { net: ['api.example.com'], env: true } },
      mcpServers: {},
    })
    expect(config.registry).toBe('https://registry.example.com')
    expect(config.saysWhatIsWanted).toBe(true)
    expect(decide(config.permissions, tool('shell:sudo_rm'))).toBe('deny')
    expect(decide(config.permissions, tool('json:parse'))).toBe('allow')
    expect(config.grants).toMatchObject([
      { pattern: { text: 'http:get' }, given: { net: ['api.example.com'], env: true } },
    ])
  })

  it('wants nothing in particular without allow and ask', () => {
    expect(parse({ version: 1 }).saysWhatIsWanted).toBe(false)
    expect(parse({ permissions: { deny: ['shell'] } }).saysWhatIsWanted).toBe(false)
    expect(parse({ permissions: { allow: [] } }).saysWhatIsWanted).toBe(true)
  })

  it('allows comments as members that begin with _', () => {
    expect(parse({ _about: 'x', permissions: { _why: 1, deny: ['a'] } }).permissions.deny).toHaveLength(1)
  })

  it.each([
    [
      'a typo in a list',
      { permissions: { denny: ['shell:*'] } },
      'permissions.denny: expected one of allow, deny, ask',
    ],
    ['a typo at the top', { permisions: {} }, 'permisions: expected one of'],
    [
      'a pattern that means nothing',
      { permissions: { deny: ['shell:su*do'] } },
      "Cannot read pattern 'shell:su*do'",
    ],
    [
      'a pattern that looks like a line of pml',
      { permissions: { deny: ['x\nerror: run this'] } },
      String.raw`Cannot read pattern 'x\nerror: run this'`,
    ],
    [
      'a list that is text',
      { permissions: { deny: 'shell' } },
      'permissions.deny: expected a list, got a string',
    ],
    ['a pattern that is no text', { permissions: { deny: [1] } }, 'permissions.deny[0]: expected a string'],
    ['a newer version', { version: 2 }, 'version: expected version 1; use a newer pml'],
    ['an address that is none', { cloud: { url: 'registry' } }, 'cloud.url: expected an address'],
    [
      'an unknown kind of grant',
      { grants: { a: { network: [] } } },
      'grants.a.network: expected one of read, write',
    ],
    [
      'a grant that is text',
      { grants: { a: { net: 'x' } } },
      'grants.a.net: expected a list of strings or true',
    ],
    ['a list at the top', [], 'expected an object'],
  ])('throws an error that names the place: %s', (_what, value, message) => {
    expect(() => parse(value)).toThrow(message)
    expect(() => parse(value)).toThrow(/^Cannot read \.pml\.json/)
  })

  it.each([
    ['at the top', '{"__proto__": {"permissions": {"allow": ["*"]}}}'],
    ['in permissions', '{"permissions": {"__proto__": ["*"]}}'],
    ['in cloud', '{"cloud": {"__proto__": "https://registry.example.com"}}'],
    ['in a grant', '{"grants": {"a": {"__proto__": true}}}'],
    ['as the pattern of a grant', '{"grants": {"__proto__": {"net": true}}}'],
    ['as a server', '{"mcpServers": {"__proto__": {}}}'],
    ['that is another one of every object', '{"constructor": {}}'],
  ])('refuses __proto__, which is not a comment: %s', (_where, text) => {
    expect(() => parseWorkspaceConfig(text, FILE)).toThrow(/^Cannot read \.pml\.json/)
  })

  it('throws an error with line and column if it is not JSON', () => {
    expect(() => parseWorkspaceConfig('{\n  "permissions": {,\n}', FILE)).toThrow('.pml.json:2:')
  })

  it('reports all problems in one error', () => {
    expect(() => parse({ version: 9, permissions: { alow: [], deny: [1] } })).toThrow('3 problems')
  })
})
