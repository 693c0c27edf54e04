import { readArguments } from './expressions.ts'

/**
 * Finds the content written through a file handle: `open('a', 'w').write('x')`, `with open('a', 'w') as f: f.write('x')`.
 * Undefined if the handle is used for anything else, or more often than it is written.
 */
export function contentOfHandle({
  code,
  call,
  text,
}: {
  code: string
  call: { readonly start: number; readonly end: number }
  text: (expression: string) => string | undefined
}): string | undefined {
  const direct = /^\s*\.\s*write\s*\(/.exec(code.slice(call.end, call.end + 50))
  if (direct) return text(readArguments(code, call.end + direct[0].length, true).args[0] ?? '')
  const before = code.slice(Math.max(0, call.start - 80), call.start)
  const name =
    /^\s*as\s+(\w+)/.exec(code.slice(call.end, call.end + 80))?.[1] ??
    /(\w+)\s*=\s*(?:\w+\.)*$/.exec(before)?.[1] ??
    /^\s*(?:do|\{)\s*\|\s*(\w+)\s*\|/.exec(code.slice(call.end, call.end + 80))?.[1]
  if (name === undefined || /\b(?:for|while|def|each|times)\b/.test(code)) return undefined
  return writtenTo(code, name, text)
}

function writtenTo(
  code: string,
  name: string,
  text: (expression: string) => string | undefined,
): string | undefined {
  const uses = [...code.matchAll(new RegExp(`(?<![\\w.'"])${name}\\b`, 'g'))]
  const calls = [
    ...code.matchAll(new RegExp(`(?<![\\w.'"])${name}\\s*\\.\\s*(write|close|flush)\\s*\\(`, 'g')),
  ]
  if (uses.length !== calls.length + 1) return undefined
  const texts = calls
    .filter((match) => match[1] === 'write')
    .map((match) => text(readArguments(code, match.index + match[0].length, true).args[0] ?? ''))
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join('')
}
