import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../canonical-json.ts'
import { listingBytes, normalListing, type ServerListing } from './server-listing.ts'

const tool = (name: string, more: object = {}) => ({
  name,
  inputSchema: { type: 'object' as const },
  ...more,
})
const listing: ServerListing = {
  launch: { kind: 'stdio', command: 'node', args: ['server.js'], env: ['TOKEN'], cwd: null },
  instructions: null,
  tools: [tool('b', { title: 'B' }), tool('a')],
}

const textOf = (one: ServerListing) => Buffer.from(listingBytes(one)).toString('utf8')

describe('the bytes of a listing', () => {
  it('are its RFC 8785 form with the tools sorted by name', () => {
    const sorted = { ...listing, tools: [tool('a'), tool('b', { title: 'B' })] }
    expect(textOf(listing)).toBe(canonicalJson(JSON.parse(JSON.stringify(sorted))))
  })

  it('do not depend on the order of members, tools, or two definitions of one tool', () => {
    const turned = {
      tools: [tool('a'), { title: 'B', inputSchema: { type: 'object' as const }, name: 'b' }],
      instructions: null,
      launch: { cwd: null, env: ['TOKEN'], args: ['server.js'], command: 'node', kind: 'stdio' as const },
    }
    expect(textOf(turned)).toBe(textOf(listing))
    const [one, other] = [tool('a', { title: '1' }), tool('a', { title: '2' })]
    expect(textOf({ ...listing, tools: [one, other] })).toBe(textOf({ ...listing, tools: [other, one] }))
  })

  it('distinguish null, absent and an own member __proto__', () => {
    const written = ['{}', '{"title":null}', '{"__proto__":{"readOnlyHint":true}}'].map((text) =>
      textOf({ ...listing, tools: [Object.assign(JSON.parse(text) as object, tool('a'))] }),
    )
    expect(new Set(written).size).toBe(3)
    expect(written[2]).toContain('"__proto__":{"readOnlyHint":true}')
    expect(textOf({ ...listing, tools: [tool('a', { title: undefined })] })).toBe(
      textOf({ ...listing, tools: [tool('a')] }),
    )
  })

  it('parse to the same listing', () => {
    expect(textOf(normalListing(listing))).toBe(textOf(listing))
    expect(normalListing(listing).tools.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('do not exist for half surrogate pairs or deep nesting', () => {
    expect(() => listingBytes({ ...listing, instructions: '\u{d800}' })).toThrow(TypeError)
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as object
    expect(() => listingBytes({ ...listing, tools: [tool('a', { _meta: deep })] })).toThrow(TypeError)
  })
})
