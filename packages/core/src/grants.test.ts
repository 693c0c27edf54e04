import { describe, expect, it } from 'vitest'
import { findUngranted, grantsFor, type GrantSet } from './grants.ts'
import type { ToolName } from './names.ts'
import { parseToolPattern } from './tool-patterns.ts'

const tool = 'http:get' as ToolName
const grant = (pattern: string, given: object) => ({ pattern: parseToolPattern(pattern), given })

describe('grants', () => {
  it('are combined from all patterns that cover the tool', () => {
    const grants = [
      grant('http:*', { net: ['a.example'], env: ['A'] }),
      grant('http:get', { net: ['b.example', 'a.example'], write: true }),
      grant('json:*', { run: true }),
    ]
    expect(grantsFor(grants, tool)).toEqual({ net: ['a.example', 'b.example'], env: ['A'], write: true })
  })

  it.each<[string, GrantSet, GrantSet, GrantSet]>([
    ['nothing declared', {}, {}, {}],
    ['a path inside', { read: ['/w/a'] }, { read: ['/w'] }, {}],
    ['the path itself', { read: ['/w'] }, { read: ['/w'] }, {}],
    ['a path beside', { read: ['/w2'] }, { read: ['/w'] }, { read: ['/w2'] }],
    ['another kind', { write: ['/w'] }, { read: ['/w'] }, { write: ['/w'] }],
    ['everything', { net: true }, { net: ['a.example'] }, { net: true }],
    ['everything given', { net: true, env: ['A'] }, { net: true, env: true }, {}],
    ['a port of a host', { net: ['a.example:443'] }, { net: ['a.example'] }, {}],
    ['another port', { net: ['a.example:80'] }, { net: ['a.example:443'] }, { net: ['a.example:80'] }],
    ['a longer host', { net: ['a.example.evil'] }, { net: ['a.example'] }, { net: ['a.example.evil'] }],
    ['some of a list', { env: ['A', 'B'] }, { env: ['A'] }, { env: ['B'] }],
    ['a longer name', { env: ['AB'] }, { env: ['A'] }, { env: ['AB'] }],
  ])('do not cover: %s', (_what, declared, given, missing) => {
    expect(findUngranted(declared, given)).toEqual(missing)
  })
})
