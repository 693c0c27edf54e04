import { getBuiltinModule } from 'node:process'

/** Loaded on first use: loading takes a hook as long as its decision, and most calls do not need it. */
const crypto = () => getBuiltinModule('node:crypto')

/** The SHA-256 in hexadecimal. */
export function sha256(bytes: string | Uint8Array): string {
  return crypto().createHash('sha256').update(bytes).digest('hex')
}

/** 16 random hexadecimal digits. */
export function randomWord(): string {
  return crypto().randomBytes(8).toString('hex')
}

const LONGEST_NAME = 200

/** A file name for a path: the encoded path, or its hash if that would be too long. */
export function fileNameOf(path: string): string {
  const plain = encodeURIComponent(path)
  return plain.length <= LONGEST_NAME ? plain : sha256(path)
}
