import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './public-address.ts'

describe('a public address', () => {
  it.each(['1.1.1.1', '9.255.255.255', '100.63.255.255', '172.32.0.1', '192.169.0.1', '223.255.255.255'])(
    'is %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )
  it.each(['2606:4700::1111', '2a00:1450:4001::5', '2001:200::1'])('is %s', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  )
  it.each([
    ['unspecified', '0.0.0.0'],
    ['private', '10.1.2.3'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['shared by a carrier', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local, and where clouds keep credentials', '169.254.169.254'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['for benchmarks', '198.19.0.1'],
    ['for documentation', '203.0.113.7'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4 in IPv6', '::ffff:127.0.0.1'],
    ['IPv4 in IPv6', '::ffff:7f00:1'],
    ['IPv4 in IPv6', '::ffff:8.8.8.8'],
    ['IPv4 in IPv6 of old', '::127.0.0.1'],
    ['IPv4 behind a translator', '64:ff9b::7f00:1'],
    ['IPv4 behind Teredo', '2001:0:4136:e378::1'],
    ['IPv4 behind 6to4', '2002:7f00:1::'],
    ['unique-local', 'fd00:ec2::254'],
    ['unique-local', 'fc00::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%lo'],
    ['multicast', 'ff02::1'],
    ['for documentation', '2001:db8::1'],
    ['for documentation', '3fff::1'],
    ['no address', 'localhost'],
    ['no address', '2130706433'],
    ['no address', ''],
  ])('is not one that is %s: %s', (_why, address) => expect(isPublicAddress(address)).toBe(false))

  it('is not one that embeds a private IPv4 address', () => {
    const byte = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte), ([a, b, c]) => {
        expect(isPublicAddress(`10.${a}.${b}.${c}`)).toBe(false)
        expect(isPublicAddress(`::ffff:10.${a}.${b}.${c}`)).toBe(false)
        expect(isPublicAddress(`64:ff9b::10.${a}.${b}.${c}`)).toBe(false)
      }),
    )
  })
})
