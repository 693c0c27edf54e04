import { commentStylesOf } from '@pml/core/comment-styles'

type Style = ReturnType<typeof commentStylesOf>[number]

/**
 * The text without comments and string contents, so that commented-out assertions do not count. Knows comments and
 * strings of the file type, no grammar. Runs in linear time.
 */
export function codeOf(text: string, path: string, depth = 0): string {
  const styles = commentStylesOf(path)
  if (styles.length === 0 || styles.includes('<!--') || styles.includes('member')) return text
  const starts = new RegExp(startsOf(styles), 'g')
  let code = ''
  let at = 0
  /** How far a quote was searched in vain, so that no search repeats. */
  const open = new Map<string, number>()
  for (let found = starts.exec(text); found; found = starts.exec(text)) {
    const [start] = found
    if (found.index < (open.get(start) ?? 0)) continue
    const end = endOf(text, { start, from: found.index })
    if (end === undefined && start !== '/') open.set(start, lineEnd(text, found.index))
    if (end === undefined) continue
    code += `${text.slice(at, found.index)}${quotes.has(start) ? start + start : ' '}`
    if (start === '`')
      for (const [from, to] of readTemplate(text, found.index).filled)
        code += ` ${depth < DEEPEST_TEMPLATE ? codeOf(text.slice(from, to), path, depth + 1) : text.slice(from, to)}`
    at = end
    starts.lastIndex = end
  }
  return code + text.slice(at)
}

const quotes: ReadonlySet<string> = new Set(['"', "'", '`'])

function startsOf(styles: readonly Style[]): string {
  const has = (style: Style) => styles.includes(style)
  return [
    ...(has('#') ? ['"""', "'''", '#'] : []),
    ...(has('//') ? [String.raw`\/\/`] : []),
    ...(has('/*') ? [String.raw`\/\*`] : []),
    ...(has('--') ? ['--'] : []),
    ...(has('//') ? [String.raw`\/`, '`'] : []),
    '"',
    "'",
  ].join('|')
}

/** Returns the end of the literal or comment that starts there; undefined if there is none. */
function endOf(text: string, { start, from }: { start: string; from: number }): number | undefined {
  if (start === '/*') return behind(text, '*/', from + 2)
  if (start.length === 3) return behind(text, start, from + 3)
  if (start === '//' || start === '#' || start === '--') return lineEnd(text, from)
  if (start === '`') return readTemplate(text, from).end
  if (start !== '/') return closing(text, { quote: start, from: from + 1 })
  return mayBeExpression(text, from) ? closing(text, { quote: '/', from: from + 1 }) : undefined
}

interface Template {
  readonly end: number
  /** Substitutions in a template are code. */
  readonly filled: readonly (readonly [from: number, to: number])[]
}

/** Deeper than real templates nest. */
const DEEPEST_TEMPLATE = 10

function readTemplate(text: string, start: number, depth = 0): Template {
  const filled: [number, number][] = []
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at++
    else if (character === '`') return { end: at + 1, filled }
    else if (character === '$' && text[at + 1] === '{') {
      const end = endOfFilled(text, at + 2, depth)
      filled.push([at + 2, end])
      at = end
    }
  }
  return { end: text.length, filled }
}

/** Returns the position of the brace that closes `${`. */
function endOfFilled(text: string, from: number, depth: number): number {
  let open = 0
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '{') open++
    else if (character === '}' && open-- === 0) return at
    else if (character === '`' && depth < DEEPEST_TEMPLATE) at = readTemplate(text, at, depth + 1).end - 1
    else if (character === '"' || character === "'") {
      const end = closing(text, { quote: character, from: at + 1 })
      if (end !== undefined) at = end - 1
    }
  }
  return text.length
}

function behind(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at + mark.length
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 ? text.length : at
}

/** Longer than any real one. */
const LONGEST_EXPRESSION = 1000

interface Closing {
  readonly quote: string
  readonly from: number
}

/** A quote not closed on its line is an apostrophe, as in "don't". */
function closing(text: string, { quote, from }: Closing): number | undefined {
  let isInClass = false
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (quote === '/' && at - from > LONGEST_EXPRESSION) return undefined
    if (character === '\\') at++
    else if (character === '\n') return undefined
    else if (quote === '/' && character === '[') isInClass = true
    else if (quote === '/' && character === ']') isInClass = false
    else if (character === quote && !isInClass) return at + 1
  }
  return undefined
}

const wordsBeforeValues = /\b(?:return|typeof|case|in|of|delete|void|throw|do|else|yield|await)$/

/** Where a value may begin, a slash starts a regular expression. */
function mayBeExpression(text: string, from: number): boolean {
  let at = from - 1
  while (at >= 0 && (text[at] === ' ' || text[at] === '\t')) at--
  return (
    at < 0 ||
    '(,=:[!&|?{};\n'.includes(text[at] ?? '') ||
    wordsBeforeValues.test(text.slice(Math.max(0, at - 9), at + 1))
  )
}
