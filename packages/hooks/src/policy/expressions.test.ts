import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileLate, compileNative } from './expressions.ts'

const parts = [
  'a',
  'B',
  'ab',
  'abab',
  '\\b',
  '\\(',
  '\\.',
  '.',
  '.*',
  'a?',
  'b+',
  'c*',
  'd{2}',
  'a{0,2}',
  '(?:a|bb)',
  '(?:a|b)?',
  '(ab|)',
  '(?:a|(?:b|c)+)',
  '[^a]',
  '[]a]',
  '\\[',
  '\\|',
  ' ',
  '[ab]',
  '(?:ab)',
  '|',
  '^',
  '$',
  '\\s',
  'İ',
  'ſ',
  'K',
]
const source = fc
  .tuple(
    fc.constantFrom('', '(?i)', '(?is)'),
    fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 6 }),
  )
  .map(([flags, list]) => `${flags}${list.join('')}`)
const text = fc
  .array(fc.constantFrom('a', 'A', 'b', 'ab', '(', '.', ' ', '\n', 'dd', 'i', 'I', 's', 'k', 'K', 'İ'))
  .map((list) => list.join(''))

const file = new URL('../../../../config/enforcement.json', import.meta.url)

describe('a lazily compiled expression', () => {
  it('finds the same as an eagerly compiled one, for those of the built-in policy', () => {
    const sources = readFileSync(file, 'utf8')
      .match(/"(?:[^"\\]|\\.)*"/g)
      ?.map((text) => JSON.parse(text) as string)
    const sound = (sources ?? []).filter(isSound)
    const texts = sources ?? []
    const wrong = sound.flatMap((source) => {
      const [late, early] = [compileLate(source), compileNative(source)]
      return texts.filter((text) => late.count(text) !== early.count(text)).map((text) => [source, text])
    })
    expect(sound.length).toBeGreaterThan(100)
    expect(wrong).toEqual([])
  })

  it('finds the same as an eagerly compiled one', () => {
    fc.assert(
      fc.property(source, text, (source, text) => {
        fc.pre(isSound(source))
        const [late, early] = [compileLate(source), compileNative(source)]
        expect([source, late.test(text), late.count(text)]).toEqual([
          source,
          early.test(text),
          early.count(text),
        ])
      }),
      { numRuns: 3000 },
    )
  })

  it('throws if it is invalid and the text may match', () => {
    const wrong = compileLate('never(')
    expect(wrong.test('something else')).toBe(false)
    expect(() => wrong.test('never say')).toThrow('expected a regular expression')
  })
})

function isSound(source: string): boolean {
  try {
    compileNative(source)
    return true
  } catch {
    return false
  }
}
