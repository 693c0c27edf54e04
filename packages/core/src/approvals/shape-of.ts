import { findParts, type ContentPart } from './content-parts.ts'

/**
 * Content without its literals: a string is written as a backslash and its quote, a number as `\#`, a run of spaces
 * and tabs as one space. As backslashes and spaces that mean themselves get a backslash too, contents of one shape
 * differ in nothing but literals.
 */
export function shapeOf(content: string): string | undefined {
  return findParts(content)?.map(printPart).join('')
}

function printPart({ kind, text }: ContentPart): string {
  if (kind === 'text') return text.replaceAll(/[\\ \t]/g, String.raw`\$&`)
  if (kind === 'space') return ' '
  return kind === 'number' ? String.raw`\#` : `\\${kind}`
}
