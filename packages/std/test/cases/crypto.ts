import { expect } from 'vitest'
import type { Case } from '../case.ts'

/** RFC 4231, test case 2. */
const signed = { text: 'what do ya want for nothing?', key: 'Jefe' }
const signature = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'

const cases: Case[] = [
  {
    tool: 'hash',
    args: { data: 'abc' },
    result: {
      hex: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      base64: 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=',
    },
  },
  {
    tool: 'hash',
    args: { data: 'YWJj', encoding: 'base64', algorithm: 'sha1' },
    result: expect.objectContaining({ hex: 'a9993e364706816aba3e25717850c26c9cd0d89d' }),
  },
  {
    tool: 'hash',
    args: { data: '', algorithm: 'md5' },
    result: expect.objectContaining({ hex: 'd41d8cd98f00b204e9800998ecf8427e' }),
  },
  {
    tool: 'hash',
    args: { data: 'é' },
    result: expect.objectContaining({
      hex: '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c',
    }),
  },
  {
    tool: 'hash',
    args: { data: 'a!', encoding: 'base64' },
    error: 'Cannot hash: expected data to be padded base64',
  },
  {
    tool: 'hash',
    args: { data: 'a', algorithm: 'crc32' },
    error: 'expected algorithm to be one of sha256, sha384, sha512, sha1, md5, got "crc32"',
  },
  { tool: 'hash', args: {}, error: 'Cannot hash: expected data to be a string, got undefined' },

  {
    tool: 'hash_file',
    files: { a: 'abc' },
    args: { path: '$DIR/a' },
    result: { hex: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', sizeBytes: 3 },
  },
  {
    tool: 'hash_file',
    files: { a: '' },
    args: { path: '$DIR/a', algorithm: 'md5' },
    result: { hex: 'd41d8cd98f00b204e9800998ecf8427e', sizeBytes: 0 },
  },
  { tool: 'hash_file', args: { path: '$DIR/no' }, error: "Cannot hash file: '$DIR/no' does not exist" },
  {
    tool: 'hash_file',
    args: { path: '$DIR' },
    error: "expected '$DIR' to be a file, got a directory or device",
  },
  {
    tool: 'hash_file',
    args: { path: 1 },
    error: 'Cannot hash file: expected path to be a string, got number',
  },

  {
    tool: 'hmac',
    args: signed,
    result: { hex: signature, base64: 'W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=' },
  },
  {
    tool: 'hmac',
    args: { ...signed, algorithm: 'sha1' },
    result: expect.objectContaining({ hex: 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79' }),
  },
  {
    tool: 'hmac',
    args: { text: 'a', key: '' },
    error: 'Cannot sign: expected key to be a string that is not empty',
  },
  {
    tool: 'hmac',
    args: { text: 'a', key: 'k', algorithm: 'md5' },
    error: 'expected algorithm to be one of sha256, sha384, sha512, sha1, got "md5"',
  },

  { tool: 'verify_hmac', args: { ...signed, signature }, result: { valid: true } },
  {
    tool: 'verify_hmac',
    args: { ...signed, signature: `sha256=${signature.toUpperCase()}`, algorithm: 'sha256' },
    result: { valid: true },
  },
  {
    tool: 'verify_hmac',
    args: { ...signed, signature: signature.replace('5', '6') },
    result: { valid: false },
  },
  { tool: 'verify_hmac', args: { ...signed, signature: signature.slice(2) }, result: { valid: false } },
  { tool: 'verify_hmac', args: { ...signed, signature: `${signature}zz` }, result: { valid: false } },
  { tool: 'verify_hmac', args: { ...signed, signature: '' }, result: { valid: false } },
  {
    tool: 'verify_hmac',
    args: { ...signed, signature: 5 },
    error: 'Cannot verify signature: expected signature to be a string, got number',
  },

  { tool: 'random_bytes', args: {}, result: { bytes: expect.stringMatching(/^[0-9a-f]{64}$/) } },
  {
    tool: 'random_bytes',
    args: { count: 3, encoding: 'base64url' },
    result: { bytes: expect.stringMatching(/^[\w-]{4}$/) },
  },
  {
    tool: 'random_bytes',
    args: { count: 65537 },
    error: 'Cannot make random bytes: expected count to be an integer from 1 to 65536, got 65537',
  },
  {
    tool: 'random_bytes',
    args: { encoding: 'utf8' },
    error: 'expected encoding to be hex, base64 or base64url, got "utf8"',
  },

  {
    tool: 'uuid',
    args: {},
    result: {
      uuids: [expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)],
    },
  },
  {
    tool: 'uuid',
    args: { version: 7, count: 2 },
    result: {
      uuids: [
        expect.stringMatching(/^0[0-9a-f]{7}-[0-9a-f]{4}-7000-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        expect.stringMatching(/^0[0-9a-f]{7}-[0-9a-f]{4}-7001-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      ],
    },
  },
  { tool: 'uuid', args: { version: 1 }, error: 'Cannot make UUID: expected version to be 4 or 7, got 1' },
  { tool: 'uuid', args: { count: 1001 }, error: 'expected count to be an integer from 1 to 1000, got 1001' },
]

export default cases
