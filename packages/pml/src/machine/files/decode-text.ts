import { PmlError } from '@pml/core'

/** A byte order mark stays, so that it can be written again. */
export function decodeText(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new PmlError(
      'invalid_config',
      `Cannot read ${path}: expected UTF-8; save it as such, then run this again`,
    )
  }
}
