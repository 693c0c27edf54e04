import { getBuiltinModule } from 'node:process'

/** Loaded by the first who needs it: to load it takes a hook as long as its decision, and most calls need none of it. */
const crypto = () => getBuiltinModule('node:crypto')

/** In hexadecimal. */
export function sha256(bytes: string | Uint8Array): string {
  return crypto().createHash('sha256').update(bytes).digest('hex')
}

/** Of 16 letters and digits, which nobody can guess. */
export function randomWord(): string {
  return crypto().randomBytes(8).toString('hex')
}

const LONGEST_NAME = 200

/** The name of a file about a path: the path, as far as names of files may be that long, else its hash. */
export function fileNameOf(path: string): string {
  const plain = encodeURIComponent(path)
  return plain.length <= LONGEST_NAME ? plain : sha256(path)
}
