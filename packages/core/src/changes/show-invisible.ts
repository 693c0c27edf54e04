/**
 * What cannot be seen or reorders what can: controls, format, private, unassigned and half characters (C), spaces and
 * separators (Z) but the ordinary ones, whatever Unicode lets a font leave out (variation selectors, fillers, tags), and
 * the few symbols whose picture is empty: a Khitan filler, blank hieroglyphs, a null notehead, a braille cell without dots.
 */
const invisible =
  /(?![ \n\t]|\r\n)[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u{16fe4}\u{2800}\u{13441}\u{13442}\u{1d159}]/gu

/** The same text with every character that a reader cannot see written as `\u{200b}`. Doing it twice changes nothing. */
export function showInvisible(text: string): string {
  return text.replace(invisible, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`)
}

/** The same on one line and cut after `most` characters, so that a text from elsewhere cannot add lines to ours. */
export function showOnOneLine(text: string, most: number): string {
  const line = showInvisible(text.slice(0, most).replaceAll(/\r?\n/g, '⏎').replaceAll('\t', ' '))
  return text.length > most ? `${line}… (${text.length - most} more characters)` : line
}

/** Blanks that would push what follows out of sight. */
const manyBlanks = /[ \t]{24,}/g

/** The same text with long runs of blanks written as their number. */
export function shortenBlanks(text: string): string {
  return text.replace(manyBlanks, (blanks) => ` … (${blanks.length} blanks) … `)
}

export function countInvisible(text: string): number {
  return text.match(invisible)?.length ?? 0
}
