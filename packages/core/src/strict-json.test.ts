import { expect, it } from 'vitest'
import { PmlError } from './errors.ts'
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
  ['/*', 'it:1:1'],
  ['{"a":1} /*', 'without comments'],
  ['{"a":1,"a":1}', 'a second time'],
  ['{"a":1, "a":2}', 'a second time'],
  ['"\\ud800"', 'surrogate'],
  ['"\\u0000"', 'NUL'],
  ['[1e999]', 'smaller number'],
  ['{"a":01}', 'it:1'],
  ['['.repeat(200) + ']'.repeat(200), '128 levels'],
  ['['.repeat(100_000), 'it'],
])('refuses invalid text: %#', (text, message) => {
  expect(() => parseStrictJson(text, 'it')).toThrow(
    expect.objectContaining({ code: 'invalid_json', message: expect.stringContaining(message) }),
  )
})

it('reports a limited number of problems', () => {
  const text = `[${'1e999,'.repeat(30_000)}1]`
  expect(() => parseStrictJson(text, 'it')).toThrow('20 problems')
})

it.each([
  ['is no JSON', `${'\n'.repeat(4_000_000)}}`, 'Cannot read it: expected valid JSON'],
  [
    'has a key twice',
    `{${'"k":"y",'.repeat(40_000)}"k":1}`,
    'Cannot read it: expected each key once, well-formed Unicode, no NUL and finite numbers',
  ],
  ['is too deep', '['.repeat(4_000_000), 'Cannot read it: expected at most 128 levels of nesting'],
])('reports in one sentence the problem of a long text that %s', (_, text, message) => {
  expect(() => parseStrictJson(text, 'it')).toThrow(
    new PmlError('invalid_json', `${message}; a text over 256 KiB gets no line and column`),
  )
})
