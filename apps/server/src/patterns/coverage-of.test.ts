import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { patternFor } from '@pml/core/approvals'
import { compilePattern } from './compile-pattern.ts'
import { coverageOf, isFound } from './coverage-of.ts'

const coverage = (pattern: string, content: string) => coverageOf(compilePattern(pattern), content)

describe('an approve pattern', () => {
  const throwing = String.raw`expect\(.*\)\.rejects\.toThrow\('[^']*'\)`

  it('covers content if every non-blank line matches', () => {
    expect(coverage(throwing, `expect(a()).rejects.toThrow('x')`)).toBe(1)
    expect(
      coverage(throwing, `\n  expect(a()).rejects.toThrow('x')\n \t\n\texpect(b()).rejects.toThrow('y')\n`),
    ).toBe(1)
  })

  it('does not cover content with a line that does not match', () => {
    expect(coverage(throwing, `expect(a()).rejects.toThrow('x')\nprocess.exit()`)).toBeUndefined()
    expect(coverage(throwing, `process.exit()\nexpect(a()).rejects.toThrow('x')`)).toBeUndefined()
    expect(coverage(throwing, `expect(a()).rejects.toThrow('x')\n\u{a0}`)).toBeUndefined()
  })

  it('returns the share of the content that its matches contain', () => {
    expect(coverage('ab', 'ab cd')).toBe(0.5)
    expect(coverage('a', 'ab\na b\n')).toBe(0.5)
    expect(coverage('a+', 'aaab')).toBe(0.75)
  })

  it('matches within lines, for every line ending', () => {
    expect(coverage(String.raw`(?s)BEGIN.*END`, 'BEGIN\n  x\nEND')).toBeUndefined()
    expect(coverage('^import "[^;]+;$', 'import "a";\nimport "b\nconsole.log(1)\n";')).toBeUndefined()
    for (const end of ['\n', '\r', '\r\n', '\v', '\f', '\u{85}', '\u{2028}', '\u{2029}'])
      expect(coverage('^# note: .*$', `# note: x${end}print("EVIL")`)).toBeUndefined()
  })

  it('does not count blanks and line ends as matches', () => {
    expect(coverage(String.raw`^[ \t]+`, '  a\n  b')).toBeUndefined()
    expect(coverage('^|$', 'a')).toBeUndefined()
    expect(coverage(String.raw`a\n`, 'a\nb')).toBeUndefined()
    expect(coverage(String.raw`a\n\s*`, 'a\n  b')).toBeUndefined()
  })

  it('covers no blank content', () => {
    expect(coverage('a*', '')).toBeUndefined()
    expect(coverage(String.raw`\s+`, ' \n\t')).toBeUndefined()
  })

  it('counts UTF-16 code units', () => {
    expect(coverage('b', '\u{1f600}\u{1f600}b')).toBe(1 / 5)
    expect(coverage('\u{1f600}', '\u{1f600}\na')).toBeUndefined()
    expect(coverage('(?:\u{1f600}|a)+', 'a\u{1f600}\n\u{1f600}a')).toBe(1)
  })

  it('learned from content covers all of it', () => {
    const content = 'expect(add(1, 2)).toBe(3)\n'
    expect(coverage(patternFor(content) ?? '', content.replace('3', '4.5'))).toBe(1)
  })

  it('returns the same as matching each line alone', () => {
    const contents = fc.array(fc.stringMatching(/^[ab ]{0,4}$/), { maxLength: 5 })
    fc.assert(
      fc.property(contents, (lines) => {
        const inked = lines.filter((line) => line.trim() !== '')
        const covered = inked.length > 0 && inked.every((line) => line.includes('a'))
        expect(coverage('a+', lines.join('\n')) !== undefined).toBe(covered)
      }),
    )
  })

  it('stops at the work limit if every match scans the rest of the content', () => {
    const line = 'a'.repeat(50_000)
    expect(coverage('a(?:[^z]*z)?', `${line}\na`)).toBeUndefined()
    expect(coverage('a(?:[^z]*z)?', `${line.slice(0, 1000)}\na`)).toBe(1)
  })
})

describe('a block pattern', () => {
  it('matches anywhere in the content', () => {
    const pattern = compilePattern(String.raw`expect\(true\)\.toBe\(false\)`)
    expect(isFound(pattern, 'a\n  expect(true).toBe(false) // x\nb\n')).toBe(true)
    expect(isFound(pattern, 'expect(true).toBe(true)\n')).toBe(false)
  })

  it('matches with every line ending', () => {
    const pattern = compilePattern('^rm -rf ')
    for (const end of ['\n', '\r', '\r\n', '\v', '\f', '\u{85}', '\u{2028}', '\u{2029}'])
      expect(isFound(pattern, `# note${end}rm -rf /`)).toBe(true)
    expect(isFound(compilePattern(String.raw`\r\n`), 'a\r\nb')).toBe(true)
  })
})

it.each(['(a+)+$', '(a|aa)+$', '(a*)*b', '(a|a)+$'])(
  'matches %s, which takes exponential time elsewhere, against 100 KB',
  (text) => {
    const content = `${'a'.repeat(100_000)}!\n`
    expect(isFound(compilePattern(text), content)).toBe(false)
    expect(coverageOf(compilePattern(text), content)).toBeUndefined()
  },
)
