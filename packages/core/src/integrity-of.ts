import { hash } from 'node:crypto'
import type { Integrity } from './integrity.ts'

/** Apart from what only reads integrities, which starts without a library of ciphers. */
export function integrityOf(bytes: Uint8Array): Integrity {
  return `sha256-${hash('sha256', bytes, 'hex')}` as Integrity
}
