import type { Integrity, Name } from '@pml/core'
import type { ByteString } from '../wire/answer.ts'
import type { Entry } from './entry.ts'

const INTEGRITY = 'sha256-'.length + 64
const DIGEST = 'sha-256=::'.length + 44
const HASH_LENGTH = 2
const INTEGRITY_END = INTEGRITY
const DIGEST_END = INTEGRITY_END + DIGEST
const HASH_LENGTH_END = DIGEST_END + HASH_LENGTH
const FLAGS_END = HASH_LENGTH_END + 4

const types = { deno: 'd', stdio: 's', http: 'h' } as const

/** Serializes an entry without its name: fields of fixed length, then the body. */
export function writeRecord(entry: Entry): ByteString {
  const { integrity, digest, hash, type, routing, visibility, retired, body } = entry
  const flags = [
    types[type],
    routing === 'client' ? 'c' : 's',
    visibility === 'public' ? 'p' : '-',
    retired ? 'r' : '-',
  ].join('')
  const head = integrity + digest + String(hash.length).padStart(HASH_LENGTH, '0') + flags
  if (head.length !== FLAGS_END) throw new Error(`An entry's record begins with ${head.length} characters`)
  return head + body
}

export function readRecord(name: Name, record: ByteString): Entry {
  const hexStart = 'sha256-'.length
  const hashLength = Number(record.slice(DIGEST_END, HASH_LENGTH_END))
  const type = record[HASH_LENGTH_END]
  return {
    name,
    integrity: record.slice(0, INTEGRITY_END) as Integrity,
    digest: record.slice(INTEGRITY_END, DIGEST_END),
    hash: record.slice(hexStart, hexStart + hashLength),
    type: type === types.deno ? 'deno' : type === types.stdio ? 'stdio' : 'http',
    routing: record[HASH_LENGTH_END + 1] === 'c' ? 'client' : 'server',
    visibility: record[HASH_LENGTH_END + 2] === 'p' ? 'public' : 'private',
    retired: record[HASH_LENGTH_END + 3] === 'r',
    body: record.slice(FLAGS_END),
  }
}
