import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalContent, markersIn } from './canonical-content.ts'

const token = 'GUARD-20261117-0a1b2c3d-00112233445566778899'
const member = `"_approval_token": "${token}"`

/** Each row: the text before, and texts with the member in it as people, editors and agents put it there. */
const golden: Record<string, { before: string; after: readonly string[] }> = {
  'a printed document': {
    before: '{\n  "a": 1,\n  "b": { "c": [1, 2] }\n}\n',
    after: [
      `{\n  ${member},\n  "a": 1,\n  "b": { "c": [1, 2] }\n}\n`,
      `{\n  "a": 1,\n  ${member},\n  "b": { "c": [1, 2] }\n}\n`,
      `{\n  "a": 1,\n  "b": { "c": [1, 2] },\n  ${member}\n}`,
      `{\r\n  ${member},\r\n  "a": 1,\r\n  "b": { "c": [1, 2] }\r\n}\r\n`,
      `{${member},\n  "a": 1,\n  "b": { "c": [1, 2] }\n}`,
      `{ ${member},\n  "a": 1,\n  "b": { "c": [1, 2] }\n}`,
      `{\n  ${member}, "a": 1,\n  "b": { "c": [1, 2] }\n}`,
      `{\n  "a": 1, ${member},\n  "b": { "c": [1, 2] }\n}`,
      `{\n  "a": 1,\n  ${member}, "b": { "c": [1, 2] }\n}`,
      `{\n  "a": 1,\n  "b": { "c": [1, 2] }, ${member}\n}`,
      `{\n  "a": 1,\n  "b": { "c": [1, 2] }\n  , ${member}\n}`,
    ],
  },
  'one line': {
    before: '{"a": 1, "b": 2}',
    after: [
      `{${member}, "a": 1, "b": 2}`,
      `{"a": 1, ${member}, "b": 2}`,
      `{"a": 1, "b": 2, ${member}}`,
      `{"a": 1, "b": 2,${member}}`,
    ],
  },
  'one line without spaces': {
    before: '{"a":1,"b":2}',
    after: [
      `{"_approval_token":"${token}","a":1,"b":2}`,
      `{${member}, "a":1,"b":2}`,
      `{"a":1, ${member},"b":2}`,
      `{"a":1,${member}, "b":2}`,
      `{"a":1,"b":2, ${member}}`,
    ],
  },
  'one line with spaces inside': {
    before: '{ "a": 1, "b": 2 }',
    after: [
      `{ ${member}, "a": 1, "b": 2 }`,
      `{${member}, "a": 1, "b": 2 }`,
      `{ "a": 1, ${member}, "b": 2 }`,
      `{ "a": 1, "b": 2, ${member} }`,
    ],
  },
  'an object without members': {
    before: '{}',
    after: [`{${member}}`, `{ ${member} }`, `{\n  ${member}\n}\n`, `{${member}, ${member}}`],
  },
}

const staying: Record<string, string> = {
  'further down': `{ "a": { ${member} }, "b": [{ ${member} }] }\n`,
  'in an array': `[{ ${member} }]\n`,
  'in a string': `{ "a": "{ \\"_approval_token\\": \\"${token}\\" }" }\n`,
  'with a value that is no token': '{ "_approval_token": "yes", "a": 1 }\n',
  'with a value that is no string': '{ "_approval_token": 1 }\n',
  'with a key written otherwise': `{ "\\u005fapproval_token": "${token}" }\n`,
  'over two lines': `{ "_approval_token":\n"${token}" }\n`,
  'in JSON with comments': `{ /* x */ ${member} }\n`,
  'in text that is no JSON': `{ ${member}, }\n`,
  'in a program': `const a = { ${member} }\n`,
}

describe('the approval member of a JSON document', () => {
  it.each(Object.entries(golden))('goes from %s and leaves what was before', (_name, { before, after }) => {
    for (const text of after) expect(canonicalContent(text)).toBe(canonicalContent(before))
    expect(canonicalContent(before).trim()).toBe(before.trim())
  })

  it.each(Object.entries(staying))('stays %s', (_name, text) => {
    expect(canonicalContent(text)).toBe(text)
    expect(markersIn(text)).toEqual([])
  })

  it('goes however often it is there, and with the comment lines', () => {
    const text = `// X-APPROVED: ${token}\n{\n  ${member},\n  ${member},\n  "a": 1,\n  ${member}\n}`
    expect(canonicalContent(text)).toBe('{\n  "a": 1\n}\n')
    expect(markersIn(text).map(({ line }) => line)).toEqual([1, 3, 4, 6])
  })

  it('leaves the text from before for every document and layout that programs print', () => {
    const indents = fc.constantFrom<number | string>(0, 1, 2, 4, '\t')
    const documents = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 5 })
    fc.assert(
      fc.property(
        documents,
        indents,
        fc.nat(),
        fc.constantFrom('\n', '\r\n'),
        (document, indent, at, end) => {
          const entries = Object.entries(document).filter(([key]) => key !== '_approval_token')
          fc.pre(entries.length > 0)
          const marked = entries.toSpliced(at % (entries.length + 1), 0, ['_approval_token', token])
          const before = printMembers(entries, indent)
          const after = printMembers(marked, indent).replaceAll('\n', end)
          expect(canonicalContent(after)).toBe(canonicalContent(before))
          expect(canonicalContent(before)).toBe(`${before}\n`)
          expect(markersIn(after)).toHaveLength(1)
        },
      ),
    )
  })

  it('leaves the text from before in the ways one-line documents are spaced', () => {
    const spaces = fc.constantFrom('', ' ')
    const keys = fc.uniqueArray(fc.stringMatching(/^[a-z,{}" ]{1,4}$/), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(keys, spaces, spaces, fc.nat(), (keys, inside, between, at) => {
        const members = keys.map((key) => `${JSON.stringify(key)}:${between}"${'}'.repeat(at % 3)}"`)
        const print = (parts: string[]) => `{${inside}${parts.join(`,${between}`)}${inside}}`
        const after = print(members.toSpliced(at % (members.length + 1), 0, member))
        expect(canonicalContent(after)).toBe(`${print(members)}\n`)
      }),
    )
  })
})

/** As JSON.stringify prints an object, which would sort members that look like numbers to the front. */
function printMembers(entries: readonly [string, unknown][], indent: number | string): string {
  const pad = typeof indent === 'number' ? ' '.repeat(indent) : indent
  const members = entries.map(([key, value]) => {
    const text = JSON.stringify(value, undefined, indent).replaceAll('\n', `\n${pad}`)
    return `${pad}${JSON.stringify(key)}:${pad === '' ? '' : ' '}${text}`
  })
  return pad === '' ? `{${members.join(',')}}` : `{\n${members.join(',\n')}\n}`
}
