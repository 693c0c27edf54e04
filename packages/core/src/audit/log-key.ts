import { createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto'
import { PmlError } from '../errors.ts'
import type { AuditHead } from './audit-row.ts'

/** The public key of a log. `text` is its C2SP signed-note form, `<origin>+<key id in hex>+<base64>`. */
export interface LogKey {
  readonly text: string
  readonly origin: string
  readonly id: Buffer
  readonly publicKey: KeyObject
}

/** A key that a log has had. `signature` is by the previous key, null for the first. */
export interface LogKeyStep {
  readonly key: string
  readonly signature: string | null
}

/** Signs for one log. */
export interface LogSigner {
  readonly origin: string
  readonly key: string
  /** Base64 of the key id and the Ed25519 signature, as on the signature line of a note. */
  sign(text: string): string
}

const ED25519 = 0x01
const KEY_BYTES = 32
const ID_BYTES = 4
const SIGNATURE_BYTES = 64
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const longestOrigin = 200

/** No spaces, no `+`; it must not equal the first line of a signed text. */
export function isLogOrigin(text: string): boolean {
  return text.length <= longestOrigin && /^(?!pml-audit-)[\w.:/[\]~-]+$/.test(text)
}

/** Throws `invalid_arguments`. */
export function parseLogKey(text: string): LogKey {
  const [, origin = '', id = '', coded = ''] = /^([^+]+)\+([0-9a-f]{8})\+([\w+/]+={0,2})$/.exec(text) ?? []
  const bytes = Buffer.from(coded, 'base64')
  const isWhole = bytes.length === 1 + KEY_BYTES && bytes[0] === ED25519 && bytes.toString('base64') === coded
  if (!isWhole || !isLogOrigin(origin) || keyIdOf(origin, bytes).toString('hex') !== id)
    throw new PmlError(
      'invalid_arguments',
      'Cannot read the log key: expected <origin>+<8 hex>+<base64>, as "pml audit key" prints it',
    )
  const publicKey = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, bytes.subarray(1)]),
    format: 'der',
    type: 'spki',
  })
  return { text, origin, id: Buffer.from(id, 'hex'), publicKey }
}

export function createLogSigner(origin: string, privateKey: KeyObject): LogSigner {
  if (!isLogOrigin(origin)) throw new Error(`not an origin of a log: ${origin}`)
  const key = printLogKey(origin, createPublicKey(privateKey))
  const { id } = parseLogKey(key)
  return {
    origin,
    key,
    sign: (text) => Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]).toString('base64'),
  }
}

/** Reports whether this key signed the text. */
export function isSignedBy({ id, publicKey }: LogKey, text: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64')
  return (
    bytes.length === ID_BYTES + SIGNATURE_BYTES &&
    bytes.toString('base64') === signature &&
    bytes.subarray(0, ID_BYTES).equals(id) &&
    verify(null, Buffer.from(text), publicKey, bytes.subarray(ID_BYTES))
  )
}

/** The signed bytes of a head. */
export function headText(origin: string, { seq, hash: digest }: AuditHead): string {
  return linesOf('pml-audit-head/v1', origin, seq, digest)
}

/** The signed bytes of a rotation checkpoint. */
export function checkpointText(
  origin: string,
  { seq, hash: digest, at }: AuditHead & { readonly at: string },
): string {
  return linesOf('pml-audit-checkpoint/v1', origin, seq, digest, at)
}

/** The bytes that the old key signs to name the new one. */
export function successionText(origin: string, { from, to }: { from: string; to: string }): string {
  return linesOf('pml-audit-key/v1', origin, from, to)
}

export function isSuccessor(from: LogKey, to: LogKey, signature: string | null): boolean {
  return (
    signature !== null &&
    from.origin === to.origin &&
    isSignedBy(from, successionText(from.origin, { from: from.text, to: to.text }), signature)
  )
}

/** Returns the current key of a log if the pinned key leads to it, else undefined. */
export function followLogKey(steps: readonly LogKeyStep[], pinned: string): string | undefined {
  const place = steps.findIndex(({ key }) => key === pinned)
  if (place < 0) return undefined
  const [first, ...later] = steps
    .slice(place)
    .map(({ key, signature }) => ({ to: parseLogKey(key), signature }))
  let last = first?.to
  for (const { to, signature } of later) {
    if (!last || !isSuccessor(last, to, signature)) return undefined
    last = to
  }
  return last?.text
}

function linesOf(...lines: (string | number)[]): string {
  return `${lines.join('\n')}\n`
}

function printLogKey(origin: string, publicKey: KeyObject): string {
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES)
  const bytes = Buffer.concat([Buffer.of(ED25519), raw])
  return `${origin}+${keyIdOf(origin, bytes).toString('hex')}+${bytes.toString('base64')}`
}

function keyIdOf(origin: string, typedKey: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(`${origin}\n`), typedKey])
  return Buffer.from(hash('sha256', named, 'hex'), 'hex').subarray(0, ID_BYTES)
}
