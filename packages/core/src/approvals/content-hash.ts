import type { Integrity } from '../integrity.ts'
import { integrityOf } from '../integrity-of.ts'

const encoder = new TextEncoder()

/**
 * Returns the SHA-256 of the content's UTF-8 bytes. Line ends, a byte order mark and trailing blanks count, because each of
 * them can change what an interpreter does with a file.
 */
export function contentHashOf(content: string): Integrity {
  return integrityOf(encoder.encode(content))
}

/** Every line end of some language: LF, CR, CRLF, VT, FF, NEL, and the separators of Unicode. */
const lineEnd = /\r\n|[\r\v\f\u{85}\u{2028}\u{2029}]/gu

/** Returns the content with LF for every line end, so that a pattern sees the same lines as any interpreter. */
export function withLineFeeds(content: string): string {
  return content.replace(lineEnd, '\n')
}
