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

describe('the powers that a .pml.json gives', () => {
  it('are its allow rules, its grants one by one, and its registry', () => {
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

  it('are empty if it only denies and asks', () => {
    const careful = parts({ permissions: { deny: ['shell'], ask: ['*'] }, grants: { a: { net: [] } } })
    expect(findUnagreed(careful, noTrustParts)).toEqual([])
  })

  it('are unambiguous', () => {
    const one = parts({ grants: { a: { read: ['x" read "y'] } } })
    const two = parts({ grants: { a: { read: ['x', 'y'] } } })
    expect(findUnagreed(one, two)).toEqual(['grant "a" read "x\\" read \\"y"'])
  })

  it('need consent part by part', () => {
    expect(findUnagreed(parts(whole), noTrustParts)).toEqual(parts(whole).gives)
    expect(findUnagreed(parts(whole), parts(whole))).toEqual([])
    expect(findUnagreed(allow('a', 'b'), allow('a'))).toEqual(['allow "b"'])
    expect(findUnagreed(allow('a'), allow('a', 'b'))).toEqual([])
    const wider = { ...whole, grants: { 'http:get': { net: true, env: true } } }
    expect(findUnagreed(parts(wider), parts(whole))).toEqual(['grant "http:get" net everything'])
  })

  it('grow when a deny rule is removed', () => {
    const open = { ...whole, permissions: { allow: ['json:*'] } }
    expect(findUnagreed(parts(open), parts(whole))).toEqual(['no longer: deny "shell:*"'])
  })
})

const agreeToChange = (agreed: TrustParts, from: TrustParts, to: TrustParts) =>
  withoutRemoved(agreeToAdded(agreed, { from, to }), { from, to })

describe('a change that pml makes itself', () => {
  it('keeps a consent that covered everything before', () => {
    const after = agreeToChange(allow('a'), allow('a'), allow('a', 'b'))
    expect(findUnagreed(allow('a', 'b'), after)).toEqual([])
  })

  it('gets consent alone if other parts have none', () => {
    const after = agreeToChange(allow('a'), allow('a', 'evil'), allow('a', 'evil', 'b'))
    expect(findUnagreed(allow('a', 'evil', 'b'), after)).toEqual(['allow "evil"'])
    expect(findUnagreed(allow('a', 'b'), after)).toEqual([])
  })

  it('gets consent before it is written; consent is withdrawn only afterwards', () => {
    const [from, to] = [allow('a'), allow('b')]
    const between = agreeToAdded(from, { from, to })
    expect([findUnagreed(from, between), findUnagreed(to, between)]).toEqual([[], []])
  })

  it('records the deny rules at that time', () => {
    const denying = (...list: string[]) => parts({ permissions: { allow: list, deny: ['shell'] } })
    const after = agreeToChange(noTrustParts, denying(), denying('a'))
    expect(findUnagreed(allow('a'), after)).toEqual(['no longer: deny "shell"'])
  })

  it('withdraws consent to what it removes', () => {
    const after = agreeToChange(allow('a', 'b'), allow('a', 'b', 'evil'), allow('a', 'evil'))
    expect(findUnagreed(allow('a', 'b'), after)).toEqual(['allow "b"'])
  })
})

describe('a .pml.json without consent', () => {
  it('prompts for everything it allows, grants nothing and names no registry', () => {
    const { permissions, grants, registry } = withoutGiven(parse(whole))
    expect(decide(permissions, tool('json:parse'))).toBe('ask')
    expect(decide(permissions, tool('shell:rm'))).toBe('deny')
    expect({ grants, registry }).toEqual({ grants: [], registry: undefined })
  })

  it('still keeps its lock entries', () => {
    const { permissions, saysWhatIsWanted } = withoutGiven(parse(whole))
    expect(saysWhatIsWanted).toBe(true)
    expect(['json:parse', 'text:a', 'other:x'].map((name) => isWanted(permissions, tool(name)))).toEqual([
      true,
      true,
      false,
    ])
  })
})
