import { markerStylesOf } from '@pml/core/comment-styles'

type Style = ReturnType<typeof markerStylesOf>[number]

/**
 * The text without its comments and without what is in its strings: an assertion that is commented out, or made a string,
 * is none. It knows no grammar, only what comments and strings look like in this kind of file. Every character is looked at
 * a fixed number of times.
 */
export function codeOf(text: string, path: string): string {
  const styles = markerStylesOf(path)
  if (styles.length === 0 || styles.includes('<!--') || styles.includes('member')) return text
  const starts = new RegExp(startsOf(styles), 'g')
  let code = ''
  let at = 0
  /** Until where a quote was looked for in vain: nobody looks there for it again. */
  const open = new Map<string, number>()
  for (let found = starts.exec(text); found; found = starts.exec(text)) {
    const [start] = found
    if (found.index < (open.get(start) ?? 0)) continue
    const end = endOf(text, { start, from: found.index })
    if (end === undefined && start !== '/') open.set(start, lineEnd(text, found.index))
    if (end === undefined) continue
    code += `${text.slice(at, found.index)}${quotes.has(start) ? start + start : ' '}`
    if (start === '`') code += filledIn(text.slice(found.index, end), path)
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

/** What a template runs is code. */
function filledIn(template: string, path: string): string {
  return [...template.matchAll(/\$\{([^}]*)\}/g)].map(([, inner = '']) => ` ${codeOf(inner, path)}`).join('')
}

/** Behind what starts there; undefined where it is none after all. */
function endOf(text: string, { start, from }: { start: string; from: number }): number | undefined {
  if (start === '/*') return behind(text, '*/', from + 2)
  if (start.length === 3) return behind(text, start, from + 3)
  if (start === '//' || start === '#' || start === '--') return lineEnd(text, from)
  if (start !== '/') return closing(text, { quote: start, from: from + 1, isOneLine: start !== '`' })
  return mayBeExpression(text, from)
    ? closing(text, { quote: '/', from: from + 1, isOneLine: true })
    : undefined
}

function behind(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at + mark.length
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 ? text.length : at
}

/** Longer than any that somebody wrote. */
const LONGEST_EXPRESSION = 1000

interface Closing {
  readonly quote: string
  readonly from: number
  readonly isOneLine: boolean
}

/** A quote that its line does not close is none, as in "don't" outside of strings. */
function closing(text: string, { quote, from, isOneLine }: Closing): number | undefined {
  let isInClass = false
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (quote === '/' && at - from > LONGEST_EXPRESSION) return undefined
    if (character === '\\') at++
    else if (character === '\n' && isOneLine) return undefined
    else if (quote === '/' && character === '[') isInClass = true
    else if (quote === '/' && character === ']') isInClass = false
    else if (character === quote && !isInClass) return at + 1
  }
  return isOneLine ? undefined : text.length
}

const wordsBeforeValues = /\b(?:return|typeof|case|in|of|delete|void|throw|do|else|yield|await)$/

/** Where a value may begin, a slash begins a regular expression. */
function mayBeExpression(text: string, from: number): boolean {
  let at = from - 1
  while (at >= 0 && (text[at] === ' ' || text[at] === '\t')) at--
  return (
    at < 0 ||
    '(,=:[!&|?{};\n'.includes(text[at] ?? '') ||
    wordsBeforeValues.test(text.slice(Math.max(0, at - 9), at + 1))
  )
}
