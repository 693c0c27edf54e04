import { showInvisible } from '../changes/show-invisible.ts'
import { withLineFeeds } from './content-hash.ts'

type LiteralKind = 'space' | 'number' | '"' | "'" | '`'

/** A piece of content: a literal, whose kind is its quote if it is a string, or text. */
export interface ContentPart {
  readonly kind: LiteralKind | 'text'
  readonly text: string
}

/** Patterns for literals, in the syntax that RE2 and JavaScript share. */
export const literalPatterns: Readonly<Record<LiteralKind, string>> = {
  space: String.raw`[ \t]+`,
  number: String.raw`[0-9]+(?:\.[0-9]+)?`,
  '"': stringPattern('"'),
  "'": stringPattern("'"),
  '`': stringPattern('`'),
}

/** Longer content is a file, not a pattern. */
const LONGEST_CONTENT = 4096
const readers = Object.entries(literalPatterns).map(([kind, pattern]) => {
  return { kind: kind as LiteralKind, pattern: new RegExp(pattern, 'uy') }
})
const anyString = /"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'|`(?:[^`\\\n]|\\[^\n])*`/uy
const word = /[\w$\u{80}-\u{10ffff}]/u

/**
 * Splits one line of content into pieces. Returns undefined for content that no pattern can be learned from: several lines,
 * blank, too long, or with invisible characters.
 */
export function findParts(content: string): readonly ContentPart[] | undefined {
  if (content.length > LONGEST_CONTENT) return undefined
  const line = withLineFeeds(content).replace(/\n+$/, '')
  if (line.includes('\n') || line.trim() === '' || showInvisible(content) !== content) return undefined
  const parts: ContentPart[] = []
  for (let at = 0; at < line.length; at += parts.at(-1)?.text.length ?? 1) parts.push(partAt(line, at))
  return parts
}

/** In many languages such a string can contain code, and control characters would hide it from a reviewer. */
function stringPattern(quote: string): string {
  const never = String.raw`$\x60{}\p{Cc}\p{Cf}`
  return String.raw`${quote}(?:[^${quote}\\${never}]|\\[^${never}])*${quote}`
}

function partAt(text: string, at: number): ContentPart {
  for (const { kind, pattern } of readers) {
    const found = readAt(pattern, text, at)
    if (found !== undefined && !(kind === 'number' && word.test(text[at - 1] ?? '')))
      return { kind, text: found }
  }
  // A string that may contain code is kept as it is, so that its closing quote does not start another string.
  return {
    kind: 'text',
    text: readAt(anyString, text, at) ?? String.fromCodePoint(text.codePointAt(at) ?? 0),
  }
}

function readAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}
