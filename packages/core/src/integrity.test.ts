import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  documentBytes,
  findIntegrity,
  hashFor,
  hashMatches,
  reprDigest,
  type Integrity,
} from './integrity.ts'
import { integrityOf } from './integrity-of.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const integrity = (hex: string) => `sha256-${hex.padEnd(64, '0')}` as Integrity

describe('integrity', () => {
  it('is the SHA-256 of the bytes', () => {
    expect(integrityOf(encode(''))).toBe(
      'sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
    expect(integrityOf(encode('hello'))).toBe(
      'sha256-2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    )
  })

  it('is written as a Repr-Digest by RFC 9530', () => {
    expect(reprDigest(integrityOf(encode('hello')))).toBe(
      'sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:',
    )
  })

  it.each([
    '',
    'sha256-',
    `sha256-${'A'.repeat(64)}`,
    `sha256-${'a'.repeat(63)}`,
    `sha512-${'a'.repeat(64)}`,
    `sha256-${'a'.repeat(64)}\n`,
  ])('refuses %j', (text) => {
    expect(findIntegrity(text)).toBeUndefined()
  })

  it('covers a document without its own fqdn and integrity, in any order of members', () => {
    const bytes = documentBytes({ type: 'http', tools: ['b', 'a'] })
    expect(documentBytes({ tools: ['b', 'a'], integrity: 'x', fqdn: 'y', type: 'http' })).toEqual(bytes)
    expect(documentBytes({ type: 'http', tools: ['a', 'b'] })).not.toEqual(bytes)
    expect(new TextDecoder().decode(bytes)).toBe('{"tools":["b","a"],"type":"http"}')
  })

  it('covers members at every depth', () => {
    expect(documentBytes({ a: { b: { c: 1 } } })).not.toEqual(documentBytes({ a: { b: { c: 2 } } }))
  })
})

describe('hashes', () => {
  it('are four characters unless another release shares them', () => {
    expect(hashFor(integrity('abcdef'), [])).toBe('abcd')
    expect(hashFor(integrity('abcdef'), [integrity('1234')])).toBe('abcd')
  })

  it('are as long as needed to differ from every other release', () => {
    expect(hashFor(integrity('abcdef'), [integrity('abcd11'), integrity('abcdee')])).toBe('abcdef')
    expect(hashFor(integrity('abcd'), [integrity('abcd')])).toBe('abcd')
  })

  it('match a longer prefix of the same release, and never a shorter one', () => {
    const release = { hash: 'abcdef', integrity: integrity('abcdef12') }
    expect(hashMatches('abcdef', release)).toBe(true)
    expect(hashMatches('abcdef12', release)).toBe(true)
    expect(hashMatches(release.integrity.slice(7), release)).toBe(true)
    expect(hashMatches('abcd', release)).toBe(false)
    expect(hashMatches('abcdef13', release)).toBe(false)
    expect(hashMatches('ABCDEF', release)).toBe(false)
    expect(hashMatches(`${release.integrity.slice(7)}0`, release)).toBe(false)
  })

  it('never match two releases of one name, in any order of publication', () => {
    const few = fc.uniqueArray(fc.stringMatching(/^[ab]{8}$/), { minLength: 2, maxLength: 20 })
    fc.assert(
      fc.property(few, (hexes) => {
        const releases: { hash: string; integrity: Integrity }[] = []
        for (const hex of hexes) {
          const own = integrity(hex)
          releases.push({
            integrity: own,
            hash: hashFor(
              own,
              releases.map((release) => release.integrity),
            ),
          })
        }
        for (const { hash, integrity: own } of releases) {
          const answering = releases.filter((release) => hashMatches(hash, release))
          expect(answering.map((release) => release.integrity)).toEqual([own])
        }
      }),
    )
  })
})
