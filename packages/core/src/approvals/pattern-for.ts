import { findParts, literalPatterns } from './content-parts.ts'

/** Longer patterns are not readable for a reviewer. */
export const LONGEST_PATTERN = 2000

/** Returns an RE2 pattern that matches every line of the same shape. */
export function patternFor(content: string): string | undefined {
  const parts = findParts(content)
  if (parts === undefined) return undefined
  const body = parts.map(({ kind, text }) => (kind === 'text' ? quote(text) : literalPatterns[kind]))
  const pattern = `^${body.join('')}$`
  return pattern.length > LONGEST_PATTERN ? undefined : pattern
}

function quote(text: string): string {
  return text.replaceAll(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`)
}
