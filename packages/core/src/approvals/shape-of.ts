import { findParts, type ContentPart } from './content-parts.ts'

/**
 * Returns content without its literals: a string becomes a backslash and its quote, a number `\#`, a run of spaces and tabs one
 * space. Literal backslashes and spaces are escaped too, so contents of one shape differ only in literals.
 */
export function shapeOf(content: string): string | undefined {
  return findParts(content)?.map(printPart).join('')
}

function printPart({ kind, text }: ContentPart): string {
  if (kind === 'text') return text.replaceAll(/[\\ \t]/g, String.raw`\$&`)
  if (kind === 'space') return ' '
  return kind === 'number' ? String.raw`\#` : `\\${kind}`
}
