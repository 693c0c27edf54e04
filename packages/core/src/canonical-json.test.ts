import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type JsonValue } from './canonical-json.ts'

describe('canonical JSON (RFC 8785)', () => {
  it('writes the example of section 3.2.3 in the order of UTF-16 code units', () => {
    const keys = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }
    expect(canonicalJson(keys)).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    )
  })

  it('writes numbers as ECMAScript does', () => {
    expect(canonicalJson([Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27, -0, 1e21])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21]',
    )
  })

  it('escapes only required characters', () => {
    expect(canonicalJson('\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/')).toBe(
      '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"',
    )
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, '\ud800'])('refuses %j', (value) => {
    expect(() => canonicalJson({ value })).toThrow(TypeError)
  })

  it('leaves out undefined members and keeps nested ones', () => {
    expect(canonicalJson({ b: undefined, a: { d: [null, true], c: {} } })).toBe(
      '{"a":{"c":{},"d":[null,true]}}',
    )
  })

  it('gives one text per value, which parses to the value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const normal = JSON.parse(JSON.stringify(value)) as JsonValue
        const text = canonicalJson(normal)
        expect(JSON.parse(text)).toEqual(normal)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
  })
})
