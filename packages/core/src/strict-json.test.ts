import { expect, it } from 'vitest'
import { parseStrictJson } from './strict-json.ts'

it.each(['null', '{"a":[1,"é",{"b":null}]}', ' {"a" : 1} ', '{"a":"\\u00e9"}', '"\\n"', '1e3'])(
  'reads %s',
  (text) => {
    expect(parseStrictJson(text, 'it')).toEqual(JSON.parse(text))
  },
)

it.each([
  ['', 'it'],
  ['{', 'it:1:2'],
  ['{"a":1,"a":1}', 'a second time'],
  ['{"a":1, "a":2}', 'a second time'],
  ['"\\ud800"', 'surrogate'],
  ['"\\u0000"', 'NUL'],
  ['[1e999]', 'smaller number'],
  ['{"a":01}', 'it:1'],
  ['['.repeat(200) + ']'.repeat(200), '128 levels'],
  ['['.repeat(100_000), 'it'],
])('refuses what is not: %#', (text, message) => {
  expect(() => parseStrictJson(text, 'it')).toThrow(
    expect.objectContaining({ code: 'invalid_json', message: expect.stringContaining(message) }),
  )
})

it('refuses megabytes in which everything is wrong, and names no more than can be mended at once', () => {
  const text = `[${'1e999,'.repeat(900_000)}1]`
  expect(() => parseStrictJson(text, 'it')).toThrow('20 problems')
})
