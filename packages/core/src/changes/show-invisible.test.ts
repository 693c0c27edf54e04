import { describe, expect, it } from 'vitest'
import { showInvisible, showOnOneLine } from './index.ts'

describe('showing invisible characters', () => {
  it.each([
    ['a control character', '\u{0}', '\\u{0}'],
    ['an escape that colours a terminal', '\u{1b}[31m', '\\u{1b}[31m'],
    ['a control character of the second block', '\u{9b}', '\\u{9b}'],
    ['a lone carriage return', 'a\rb', 'a\\u{d}b'],
    ['a direction override', '\u{202e}', '\\u{202e}'],
    ['a direction isolate', '\u{2066}', '\\u{2066}'],
    ['an Arabic letter mark', '\u{61c}', '\\u{61c}'],
    ['a zero width space', '\u{200b}', '\\u{200b}'],
    ['a zero width joiner', '\u{200d}', '\\u{200d}'],
    ['a word joiner', '\u{2060}', '\\u{2060}'],
    ['a byte order mark', 'a\u{feff}b', 'a\\u{feff}b'],
    ['a tag', '\u{e0041}', '\\u{e0041}'],
    ['a variation selector', '\u{fe0f}', '\\u{fe0f}'],
    ['a variation selector of the second block', '\u{e0100}', '\\u{e0100}'],
    ['a soft hyphen', '\u{ad}', '\\u{ad}'],
    ['a combining grapheme joiner', '\u{34f}', '\\u{34f}'],
    ['a space that does not break', '\u{a0}', '\\u{a0}'],
    ['an ideographic space', '\u{3000}', '\\u{3000}'],
    ['a line separator', '\u{2028}', '\\u{2028}'],
    ['a paragraph separator', '\u{2029}', '\\u{2029}'],
    ['a Hangul filler', '\u{3164}', '\\u{3164}'],
    ['a halfwidth Hangul filler', '\u{ffa0}', '\\u{ffa0}'],
    ['a braille cell without dots', '\u{2800}', '\\u{2800}'],
    ['a private character', '\u{e000}', '\\u{e000}'],
    ['an unassigned character', '\u{378}', '\\u{378}'],
    ['half a character', 'a\u{d83d}b', 'a\\u{d83d}b'],
  ])('escapes %s', (_what, text, shown) => {
    expect(showInvisible(text)).toBe(shown)
    expect(showInvisible(shown)).toBe(shown)
  })

  it.each([
    'plain text\n\twith tabs',
    'one\r\ntwo',
    'Ünïcödé, здравствуйте, 日本語, العربية',
    '😀🇩🇪👍🏽',
    '\\u{41}',
  ])('leaves %j as it is', (text) => {
    expect(showInvisible(text)).toBe(text)
  })
})

describe('showing a text on one line', () => {
  it.each([
    ['line feeds', 'one\ntwo', 'one⏎two'],
    ['carriage returns', 'one\r\ntwo\rthree', 'one⏎two\\u{d}three'],
    ['separators', 'one\u{2028}two', 'one\\u{2028}two'],
    ['tabs', 'one\ttwo', 'one two'],
  ])('removes %s', (_what, text, shown) => {
    expect(showOnOneLine(text, 100)).toBe(shown)
  })

  it('cuts a long text and adds the number of cut characters', () => {
    expect(showOnOneLine('x'.repeat(30), 10)).toBe(`${'x'.repeat(10)}… (20 more characters)`)
  })
})
