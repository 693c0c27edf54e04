/**
 * Invisible or reordering characters: controls, format, private, unassigned and surrogate characters (C), spaces and separators
 * (Z) except the ordinary ones, everything that Unicode lets a font omit (variation selectors, fillers, tags), and the few
 * symbols with an empty glyph: a Khitan filler, blank hieroglyphs, a null notehead, a braille cell without dots.
 */
const invisible =
  /(?![ \n\t]|\r\n)[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u{16fe4}\u{2800}\u{13441}\u{13442}\u{1d159}]/gu

/** Writes every invisible character as `\u{200b}`. Idempotent. */
export function showInvisible(text: string): string {
  return text.replace(invisible, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`)
}

/** The same on one line, cut after `most` characters, so that untrusted text cannot add lines to ours. */
export function showOnOneLine(text: string, most: number): string {
  const line = showInvisible(text.slice(0, most).replaceAll(/\r?\n/g, '⏎').replaceAll('\t', ' '))
  return text.length > most ? `${line}… (${text.length - most} more characters)` : line
}

/** Runs of blanks that would push the following text out of sight. */
const manyBlanks = /[ \t]{24,}/g

/** Replaces long runs of blanks by their number. */
export function shortenBlanks(text: string): string {
  return text.replace(manyBlanks, (blanks) => ` … (${blanks.length} blanks) … `)
}

export function countInvisible(text: string): number {
  return text.match(invisible)?.length ?? 0
}
