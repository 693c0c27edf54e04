import { showInvisible } from '../changes/show-invisible.ts'
import { withLineFeeds } from './content-hash.ts'

type LiteralKind = 'space' | 'number' | '"' | "'" | '`'

/** A piece of content: a string is named by its quote, and what is no literal is text. */
export interface ContentPart {
  readonly kind: LiteralKind | 'text'
  readonly text: string
}

/** What may stand in the place of a literal, in the syntax that RE2 and JavaScript share. */
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
 * The one line of content in pieces. Undefined for content that no pattern can be learned from: several lines, blank,
 * long, or with characters that cannot be seen.
 */
export function findParts(content: string): readonly ContentPart[] | undefined {
  if (content.length > LONGEST_CONTENT) return undefined
  const line = withLineFeeds(content).replace(/\n+$/, '')
  if (line.includes('\n') || line.trim() === '' || showInvisible(content) !== content) return undefined
  const parts: ContentPart[] = []
  for (let at = 0; at < line.length; at += parts.at(-1)?.text.length ?? 1) parts.push(partAt(line, at))
  return parts
}

/** In many languages a string with one of these holds code, and nobody sees what is in it if it has controls. */
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
  // A string that may hold code stands for itself, so that its second quote does not start another string.
  return {
    kind: 'text',
    text: readAt(anyString, text, at) ?? String.fromCodePoint(text.codePointAt(at) ?? 0),
  }
}

function readAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}
