import { hash } from 'node:crypto'
import type { Integrity } from './integrity.ts'

/** Separate from code that only parses integrities, which starts without loading a crypto library. */
export function integrityOf(bytes: Uint8Array): Integrity {
  return `sha256-${hash('sha256', bytes, 'hex')}` as Integrity
}
