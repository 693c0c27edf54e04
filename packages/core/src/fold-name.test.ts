import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldName } from './fold-name.ts'

describe('a folded name', () => {
  it.each([
    ['Cyrillic', 'clаudе'],
    ['Greek', 'claυde'],
    ['capitals of other alphabets', 'СLΑUDΕ'],
    ['fullwidth letters', 'ｃｌａｕｄｅ'],
    ['mathematical letters', '𝐜𝓵𝔞𝕦𝖽𝚎'],
    ['circled and boxed letters', 'ⓒⓛ🅐🅤🄳🇪'],
    ['small capitals', 'ᴄʟᴀᴜᴅᴇ'],
    ['digits for letters', 'c1aude'],
    ['a capital I for an l', 'cIaude'],
    ['a bar for an l', 'c|aude'],
    ['marks', 'cläudé'],
    ['stacked marks', 'c\u0336l\u0336a\u0336u\u0336d\u0336e\u0336'],
    ['spaces around and inside', ' cl\u00a0au\u3000de\t'],
    ['zero-width characters', '\u200bcl\u200da\u2060ude\ufeff'],
    ['a soft hyphen', 'cl\u00adaude'],
    ['direction marks', '\u202ecl\u2066aude\u202c'],
    ['variation selectors', 'c\ufe0fl\u{e0100}aude'],
    ['Hangul fillers', 'c\u3164l\u115f\u1160\uffa0aude'],
    ['a blank Braille pattern', 'cl\u2800aude'],
    ['tags', 'claude\u{e0061}\u{e007f}'],
    ['lone surrogates and private characters', 'cl\ud800aude\ue000'],
    ['Lisu and Cherokee letters', 'ꓚꓡᎪUꓓᎬ'],
    ['Armenian letters', 'clauԁе'],
  ])('does not change with %s', (_, name) => {
    expect(foldName(name)).toBe(foldName('claude'))
  })

  it.each([
    ['o0OоОοΟ０𝟎', 'ooooooooo'],
    ['modern', 'modem'],
    ['vvindsurf', 'windsurf'],
    ['agent_1', 'agent‑l'],
    ['straße', 'strasse'],
    ['İstanbul', 'istanbul'],
  ])('is the same for %s and %s', (one, other) => {
    expect(foldName(one)).toBe(foldName(other))
  })

  it('distinguishes ordinary names', () => {
    const names = [
      'claude',
      'codex',
      'copilot',
      'cursor',
      'gemini',
      'windsurf',
      'claude-2',
      'claude-3',
      '张伟',
    ]
    expect(new Set(names.map(foldName)).size).toBe(names.length)
  })

  it('is empty for a name without visible characters', () => {
    expect(foldName(' \u200b\u3164\u2800 ')).toBe('')
  })

  it('folds to itself, for any letters in any case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const folded = foldName(name)
        expect(foldName(folded)).toBe(folded)
      }),
    )
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9 _.:-]{0,40}$/), (name) => {
        expect(foldName(name.toUpperCase())).toBe(foldName(name))
      }),
    )
  })
})
