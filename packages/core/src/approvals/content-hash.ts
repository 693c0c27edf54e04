import type { Integrity } from '../integrity.ts'
import { integrityOf } from '../integrity-of.ts'

const encoder = new TextEncoder()

/**
 * SHA-256 of the content's UTF-8 bytes, as they are. Line ends, a byte order mark and trailing blanks all count: each of
 * them changes what some interpreter does with a file.
 */
export function contentHashOf(content: string): Integrity {
  return integrityOf(encoder.encode(content))
}

/** Everything that ends a line in some language: LF, CR, CRLF, VT, FF, NEL, and the separators of Unicode. */
const lineEnd = /\r\n|[\r\v\f\u{85}\u{2028}\u{2029}]/gu

/** The content with LF in place of every line end, so that a pattern sees the lines that any interpreter sees. */
export function withLineFeeds(content: string): string {
  return content.replace(lineEnd, '\n')
}
