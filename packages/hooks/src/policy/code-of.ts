import { markerStylesOf } from '@pml/core/comment-styles'

/**
 * The text without its comments and without what is in its strings: an assertion that is commented out, or made a string,
 * is none. It knows no grammar, only what comments and strings look like in this kind of file.
 */
export function codeOf(text: string, path: string): string {
  const styles = markerStylesOf(path)
  if (styles.length === 0 || styles.includes('<!--') || styles.includes('member')) return text
  const parts = [
    ...(styles.includes('//') ? [String.raw`\/\/[^\n]*`, regexLiteral] : []),
    ...(styles.includes('/*') ? [String.raw`\/\*[\s\S]*?(?:\*\/|$)`] : []),
    ...(styles.includes('#')
      ? [String.raw`"""[\s\S]*?(?:"""|$)`, String.raw`'''[\s\S]*?(?:'''|$)`, '#[^\\n]*']
      : []),
    ...(styles.includes('--') ? ['--[^\\n]*'] : []),
    String.raw`"(?:[^"\\\n]|\\[\s\S])*"`,
    String.raw`'(?:[^'\\\n]|\\[\s\S])*'`,
    ...(styles.includes('//') ? ['`(?:[^`\\\\]|\\\\[\\s\\S])*`'] : []),
  ]
  return text.replaceAll(new RegExp(parts.join('|'), 'g'), blank)
}

/** Where a value may begin, a slash begins a regular expression. */
const regexLiteral = String.raw`(?<=[(,=:[!&|?{};]\s*)\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/`

function blank(found: string): string {
  const quote = found[0] ?? ''
  return `"'\``.includes(quote) && !found.startsWith(quote.repeat(3)) ? quote + quote : ' '
}
