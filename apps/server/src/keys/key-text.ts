import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The parts of `pml_<id>_<secret>`. */
interface KeyText {
  readonly id: string
  readonly secret: string
}

const keyPattern = /^pml_([A-Za-z0-9-]{1,32})_([A-Za-z0-9_-]{16,128})$/
const ID_BYTES = 6
const SECRET_BYTES = 24

/** Reports whether the text is a well-formed key id. */
export function isKeyId(text: string): boolean {
  return /^[A-Za-z0-9-]{1,32}$/.test(text)
}

export function parseKey(text: string): KeyText | undefined {
  const match = keyPattern.exec(text)
  return match?.[1] && match[2] ? { id: match[1], secret: match[2] } : undefined
}

export function printKey({ id, secret }: KeyText): string {
  return `pml_${id}_${secret}`
}

export function newKeyText(id = randomBytes(ID_BYTES).toString('hex')): KeyText {
  return { id, secret: randomBytes(SECRET_BYTES).toString('hex') }
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

export function secretMatches(secret: string, storedHash: string): boolean {
  const given = Buffer.from(hashSecret(secret), 'hex')
  const stored = Buffer.from(storedHash, 'hex')
  return given.length === stored.length && timingSafeEqual(given, stored)
}
