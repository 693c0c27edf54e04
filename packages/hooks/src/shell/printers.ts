import { Buffer } from 'node:buffer'
import { hole, isKnown } from './words/holes.ts'
import { readOptions } from './words/options.ts'
import { lastName } from './words/paths.ts'
import { readFrom } from './words/redirects.ts'
import { NOTHING } from './words/shell.ts'
import type { Call, Program, Shell, Stream } from './words/shell.ts'

/** Programs with known output. */
export const PRINTERS: Readonly<Record<string, Program>> = {
  echo: (_shell, { args }) => known(echo(args)),
  printf: printfTo,
  cat,
  pwd: ({ scope: { folders } }) =>
    folders.length === 1 && folders[0] ? { text: `${folders[0]}\n` } : undefined,
  basename: (_shell, { args: [path = '', suffix = ''] }) => {
    const name = lastName(path)
    return path.startsWith('-')
      ? undefined
      : known(`${name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : name}\n`)
  },
  dirname: (_shell, { args: [path = ''] }) =>
    isKnown(path) && !path.startsWith('-')
      ? { text: `${path.replace(/\/?[^/]*\/*$/, '') || (path.startsWith('/') ? '/' : '.')}\n` }
      : undefined,
  base64: (_shell, call) => decode(call, ['d', 'D', 'decode'], 'base64'),
  rev: (_shell, { args, stdin }) =>
    args.length === 0 && stdin && 'text' in stdin
      ? { text: stdin.text.replaceAll(/[^\n]+/g, (line) => [...line].toReversed().join('')) }
      : undefined,
  // The location is known except for the name.
  mktemp: (_shell, { args }) =>
    args.some((arg) => !arg.startsWith('-')) ? undefined : { text: '/tmp/tmp.XXXXXXXXXX\n' },
  mkdir: () => NOTHING,
  chmod: () => NOTHING,
  chown: () => NOTHING,
  sleep: () => NOTHING,
  true: () => NOTHING,
  false: () => NOTHING,
  ':': () => NOTHING,
  test: () => NOTHING,
  '[': () => NOTHING,
}

function echo(args: readonly string[]): string {
  let escapes = false
  let newline = '\n'
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (!/^-[neE]+$/.test(arg)) break
    if (arg.includes('n')) newline = ''
    for (const flag of arg.replaceAll(/[-n]/g, '')) escapes = flag === 'e'
  }
  const text = args.slice(at).join(' ')
  return (escapes ? unescaped(text) : text) + newline
}

function printfTo(shell: Shell, { args }: Call): Stream {
  const [first = '', name = '', ...rest] = args
  if (first === '-v') {
    shell.scope.variables.set(name, printf(rest))
    return NOTHING
  }
  return known(printf(first === '--' ? args.slice(1) : args))
}

/** A format is reused until no words are left. A word with holes replaces `%s` unchanged. */
function printf([format = '', ...words]: readonly string[]): string {
  const left = [...words]
  let text = ''
  do {
    const before = left.length
    text += format.replaceAll(
      /%(?<conversion>%|[-+ #0]*\d*(?:\.\d+)?[sbqdiuxXoc])|(?<escape>\\(?:x[\da-f]{1,2}|0?[0-7]{1,3}|[^]))/gi,
      (match, conversion: string | undefined) => {
        if (conversion === undefined) return unescaped(match)
        if (conversion === '%') return '%'
        const word = left.shift() ?? ''
        if (conversion === 's' || conversion === 'd' || conversion === 'i')
          return word || (conversion === 's' ? '' : '0')
        return conversion === 'b' ? unescaped(word) : hole(match)
      },
    )
    if (left.length === before) break
  } while (left.length > 0 && text.length < 1 << 20)
  return text
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1B',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
}

function unescaped(text: string): string {
  const end = text.search(/(?<!\\)(?:\\\\)*\\c/)
  const used = end < 0 ? text : text.slice(0, end)
  return used.replaceAll(
    /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|0?([0-7]{1,3})|(.))/gis,
    (match, hex?: string, unicode?: string, octal?: string, char?: string) => {
      if (char !== undefined) return ESCAPES[char] ?? match
      const code = octal === undefined ? Number.parseInt(hex ?? unicode ?? '', 16) : Number.parseInt(octal, 8)
      // A NUL would look like a hole, and NUL-separated text is not supported.
      return code ? String.fromCharCode(code) : hole(match)
    },
  )
}

function cat(shell: Shell, { args, stdin }: Call): Stream {
  const { words, find } = readOptions(args, {})
  if (find('n', 'b', 'A', 'E', 'T', 'v', 'e', 't', 's') !== undefined) return undefined
  const sources = words.length === 0 ? ['-'] : words
  const streams = sources.map((word) => (word === '-' ? stdin : readFrom(shell, word)))
  if (streams.length === 1) return streams[0]
  const texts = streams.map((stream) => (stream && 'text' in stream ? stream.text : undefined))
  return texts.includes(undefined) ? undefined : { text: texts.join('') }
}

/** Decodes text that was encoded to hide it. */
function decode({ args, stdin }: Call, flags: readonly string[], encoding: 'base64' | 'hex'): Stream {
  const { find, words } = readOptions(args, { values: 'w', longValues: ['wrap'] })
  if (find(...flags) === undefined || words.length > 0 || !stdin || !('text' in stdin)) return undefined
  return known(Buffer.from(stdin.text.replaceAll(/\s/g, ''), encoding).toString('utf8'))
}

function known(text: string): Stream {
  return isKnown(text) ? { text } : undefined
}
