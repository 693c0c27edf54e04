import { describe, expect, it } from 'vitest'
import { decide, isWanted } from './permissions.ts'
import type { ToolName } from './names.ts'
import { parseWorkspaceConfig } from './workspace-config.ts'
import {
  agreeToAdded,
  findUnagreed,
  noTrustParts,
  trustPartsOf,
  withoutGiven,
  withoutRemoved,
  type TrustParts,
} from './workspace-trust.ts'

const parse = (value: unknown) => parseWorkspaceConfig(JSON.stringify(value), '.pml.json')
const parts = (value: unknown) => trustPartsOf(parse(value))
const tool = (text: string) => text as ToolName
const allow = (...list: string[]) => parts({ permissions: { allow: list } })

const whole = {
  cloud: { url: 'https://registry.example.com' },
  permissions: { allow: ['json:*'], deny: ['shell:*'], ask: ['text:*'] },
  grants: { 'http:get': { net: ['api.example.com', 'b'], env: true } },
}

describe('what a .pml.json gives', () => {
  it('is its allow rules, its grants one by one, and its registry', () => {
    expect(parts(whole)).toEqual({
      gives: [
        'allow "json:*"',
        'grant "http:get" net "api.example.com"',
        'grant "http:get" net "b"',
        'grant "http:get" env everything',
        'cloud.url "https://registry.example.com"',
      ],
      denies: ['deny "shell:*"'],
    })
  })

  it('is nothing where it only denies and asks', () => {
    const careful = parts({ permissions: { deny: ['shell'], ask: ['*'] }, grants: { a: { net: [] } } })
    expect(findUnagreed(careful, noTrustParts)).toEqual([])
  })

  it('cannot be two things at once', () => {
    const one = parts({ grants: { a: { read: ['x" read "y'] } } })
    const two = parts({ grants: { a: { read: ['x', 'y'] } } })
    expect(findUnagreed(one, two)).toEqual(['grant "a" read "x\\" read \\"y"'])
  })

  it('is new, part by part, until it was agreed to', () => {
    expect(findUnagreed(parts(whole), noTrustParts)).toEqual(parts(whole).gives)
    expect(findUnagreed(parts(whole), parts(whole))).toEqual([])
    expect(findUnagreed(allow('a', 'b'), allow('a'))).toEqual(['allow "b"'])
    expect(findUnagreed(allow('a'), allow('a', 'b'))).toEqual([])
    const wider = { ...whole, grants: { 'http:get': { net: true, env: true } } }
    expect(findUnagreed(parts(wider), parts(whole))).toEqual(['grant "http:get" net everything'])
  })

  it('is more when a deny rule is gone', () => {
    const open = { ...whole, permissions: { allow: ['json:*'] } }
    expect(findUnagreed(parts(open), parts(whole))).toEqual(['no longer: deny "shell:*"'])
  })
})

const agreeToChange = (agreed: TrustParts, from: TrustParts, to: TrustParts) =>
  withoutRemoved(agreeToAdded(agreed, { from, to }), { from, to })

describe('a change that pml makes itself', () => {
  it('keeps an agreement that covered everything before', () => {
    const after = agreeToChange(allow('a'), allow('a'), allow('a', 'b'))
    expect(findUnagreed(allow('a', 'b'), after)).toEqual([])
  })

  it('is agreed to alone where something else is not', () => {
    const after = agreeToChange(allow('a'), allow('a', 'evil'), allow('a', 'evil', 'b'))
    expect(findUnagreed(allow('a', 'evil', 'b'), after)).toEqual(['allow "evil"'])
    expect(findUnagreed(allow('a', 'b'), after)).toEqual([])
  })

  it('is agreed to before it is written, and taken back only after that', () => {
    const [from, to] = [allow('a'), allow('b')]
    const between = agreeToAdded(from, { from, to })
    expect([findUnagreed(from, between), findUnagreed(to, between)]).toEqual([[], []])
  })

  it('remembers the deny rules that stood beside it', () => {
    const denying = (...list: string[]) => parts({ permissions: { allow: list, deny: ['shell'] } })
    const after = agreeToChange(noTrustParts, denying(), denying('a'))
    expect(findUnagreed(allow('a'), after)).toEqual(['no longer: deny "shell"'])
  })

  it('takes back what it removes', () => {
    const after = agreeToChange(allow('a', 'b'), allow('a', 'b', 'evil'), allow('a', 'evil'))
    expect(findUnagreed(allow('a', 'b'), after)).toEqual(['allow "b"'])
  })
})

describe('a .pml.json without consent', () => {
  it('asks about everything that it allows, grants nothing and names no registry', () => {
    const { permissions, grants, registry } = withoutGiven(parse(whole))
    expect(decide(permissions, tool('json:parse'))).toBe('ask')
    expect(decide(permissions, tool('shell:rm'))).toBe('deny')
    expect({ grants, registry }).toEqual({ grants: [], registry: undefined })
  })

  it('still wants what it wanted', () => {
    const { permissions, saysWhatIsWanted } = withoutGiven(parse(whole))
    expect(saysWhatIsWanted).toBe(true)
    expect(['json:parse', 'text:a', 'other:x'].map((name) => isWanted(permissions, tool(name)))).toEqual([
      true,
      true,
      false,
    ])
  })
})
