import { describe, expect, it } from 'vitest'
import { contentHashOf } from './content-hash.ts'
import { findSpecialist, isToken, printToken, specialistName, specialistSlug } from './tokens.ts'

const random = '00112233445566778899'
const parts = { specialist: 'Test Guard', date: '20261117', contentHash: contentHashOf('a'), random }
const token = 'TEST-GUARD-20261117-ca978112-00112233445566778899'

describe('a token', () => {
  it('names the specialist, the day and the content', () => {
    expect(printToken(parts)).toBe(token)
    expect(isToken(token)).toBe(true)
    expect(findSpecialist(token)).toBe('TEST-GUARD')
  })

  it('may be the one of the seed document', () => {
    expect(isToken('TESTGUARD-20250104-12345678-abc123')).toBe(true)
  })

  it.each([
    ['is cut', token.slice(0, 30)],
    ['lacks its random text', 'TEST-GUARD-20261117-ca978112'],
    ['lacks its specialist', token.slice('TEST-GUARD-'.length)],
    ['is in small letters', token.toLowerCase()],
    ['has a space', token.replace('-', ' ')],
    ['has a line end', `${token}\n`],
    ['is longer than any', `${token}${'0'.repeat(200)}`],
    ['has a Cyrillic letter', token.replace('E', '\u{415}')],
    ['has a letter of double width', token.replace('T', '\u{ff34}')],
    ['has digits of another script', token.replace('2026', '\u{662}\u{660}\u{662}\u{666}')],
    ['has a dash that is none', token.replaceAll('-', '\u{2010}')],
    ['has something invisible', token.replace('-', '-\u{200b}')],
    ['has two dashes together', token.replace('-', '--')],
  ])('is refused when it %s', (_name, text) => {
    expect(isToken(text)).toBe(false)
  })

  it.each(['', '0011223344556677889', '0011223344556677889X', 'A'.repeat(20)])(
    'is not printed with %j for random text',
    (random) => {
      expect(() => printToken({ ...parts, random })).toThrow('at least 20 random hex characters')
    },
  )

  it.each(['', '  ', '007', '\u{422}est', 'gro\u{df}', 'a.b', 'a/b', 'a\nb', 'x'.repeat(200)])(
    'is not printed for the specialist %j',
    (specialist) => {
      expect(() => printToken({ ...parts, specialist })).toThrow('Cannot print a token for')
    },
  )
})

describe('a specialist', () => {
  it.each(['Test Guard', 'test-guard', 'TEST_GUARD', ' test  guard ', 'Test - Guard', 'test__guard'])(
    'is the same when written %j',
    (name) => {
      expect(specialistSlug(name)).toBe('test-guard')
      expect(specialistName(name)).toBe('TEST-GUARD')
    },
  )

  it('differs when a letter only looks the same', () => {
    for (const name of ['\u{212a}ey', '\u{43a}ey', '\u{17f}tart', 'gro\u{df}']) {
      expect(specialistSlug(name)).toBe(name)
      expect(specialistName(name)).toContain(/[^a-z]/.exec(name)?.[0])
    }
  })
})
