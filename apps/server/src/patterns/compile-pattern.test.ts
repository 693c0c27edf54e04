import { PmlError } from '@pml/core'
import { LONGEST_PATTERN } from '@pml/core/approvals'
import { describe, expect, it } from 'vitest'
import { compilePattern } from './compile-pattern.ts'
import { isFound } from './coverage-of.ts'

const refusal = (text: string) => {
  try {
    compilePattern(text)
  } catch (error) {
    if (error instanceof PmlError) return error
    throw error
  }
  throw new Error(`${text} was not refused`)
}

describe('compiling a pattern', () => {
  it('accepts RE2 syntax, with ^ and $ at the ends of every line', () => {
    expect(isFound(compilePattern('^b$'), 'a\nb\nc\n')).toBe(true)
    expect(isFound(compilePattern('^b$'), 'a\nab\nc\n')).toBe(false)
    expect(isFound(compilePattern(String.raw`\Ab`), 'a\nb\n')).toBe(false)
    expect(isFound(compilePattern('(?i)drop\\s+table'), 'DROP  TABLE x')).toBe(true)
  })

  it.each([
    ['a(?=b)', 'lookaround'],
    ['(?!a)b', 'lookaround'],
    ['(?<=a)b', 'lookaround'],
    [String.raw`(a)\1`, 'back-references'],
    ['a(', 'missing closing )'],
    ['[z-a]', 'invalid character class range at "z-a"'],
    ['a**', 'invalid nested repetition operator'],
    ['a)', 'unexpected )'],
  ])('refuses %j and says why', (text, reason) => {
    const error = refusal(text)
    expect(error.code).toBe('invalid_pattern')
    expect(error.status).toBe(422)
    expect(error.message).toContain(
      `Cannot use pattern ${JSON.stringify(text)}: expected RE2 syntax, without `,
    )
    expect(error.message).toContain(reason)
    expect(error.message).not.toContain('(?m)')
  })

  it.each([
    ['a repeat of a repeat', 'x{1000}{1000}'],
    ['a repeat of repeats in groups', '((a{1000}){1000}){1000}'],
    ['many repeats', 'x{900}y{900}z{900}'],
    ['many repeats of large classes', String.raw`\pL{1000}`.repeat(200)],
    ['repeats of what may be missing', '(?:a?){500}'.repeat(150)],
    ['groups in groups', `${'('.repeat(1100)}a${')'.repeat(800)}`],
    ['alternatives in alternatives', '(?:(?:(?:a|bc){0,10}|d){0,10}|e){0,10}'.repeat(50)],
  ])('refuses %s', (_name, text) => {
    expect(text.length).toBeLessThanOrEqual(LONGEST_PATTERN)
    const error = refusal(text)
    expect(error.code).toBe('invalid_pattern')
    expect(error.message.length).toBeLessThan(400)
  })

  it('accepts alternatives nested as deep as the length limit allows', () => {
    const deep = `${'(?:a|b'.repeat(280)}${')'.repeat(280)}`
    expect(isFound(compilePattern(deep), `${'b'.repeat(300)}`)).toBe(true)
  })

  it('reports the size of a program that is too large', () => {
    expect(refusal('x{1000}y{1000}').message).toContain('expected at most 2000 steps, got 2002; repeat less')
  })

  it('refuses a pattern over the length limit', () => {
    expect(compilePattern('a'.repeat(1990)).text).toHaveLength(1990)
    expect(refusal('a'.repeat(2001)).message).toContain('expected at most 2000 characters, got 2001')
  })

  it.each(['a\u{200b}b', 'a\u{202e}b', 'a\0b', 'a\rb', '\u{feff}a', 'a\u{d800}'])(
    'refuses invisible characters: %j',
    (text) => {
      expect(refusal(text).message).toContain('invisible characters')
    },
  )

  it('does not match a letter that only looks the same', () => {
    expect(isFound(compilePattern('expect'), 'expect(a)')).toBe(true)
    expect(isFound(compilePattern('expect'), '\u{435}xpect(a)')).toBe(false)
    expect(isFound(compilePattern('\u{435}xpect'), 'expect(a)')).toBe(false)
  })
})
