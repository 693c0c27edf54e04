import { isKnown } from '../holes.ts'
import { readOptions } from '../options.ts'
import { readFrom } from '../redirects.ts'
import { NOTHING } from '../shell.ts'
import type { Call, Program, Shell, Stream } from '../shell.ts'
import { awk } from './awk.ts'
import { LANGUAGES } from './calls.ts'
import type { Language } from './calls.ts'
import { readCode } from './read-code.ts'

const { JAVASCRIPT, PYTHON, PERL, RUBY, PHP, LUA, APPLESCRIPT } = LANGUAGES

const NODE = interpreter(JAVASCRIPT, {
  code: ['e', 'p', 'eval', 'print'],
  values: 'eprC',
  longValues: [
    'eval',
    'print',
    'require',
    'import',
    'loader',
    'conditions',
    'env-file',
    'experimental-loader',
  ],
})
const PYTHONS = interpreter(PYTHON, { code: ['c'], values: 'cmWXQ', longValues: [] })

/** Programs that run code given in a word or on the standard input. */
export const INTERPRETERS: Readonly<Record<string, Program>> = {
  python: PYTHONS,
  pypy: PYTHONS,
  node: NODE,
  nodejs: NODE,
  tsx: NODE,
  'ts-node': NODE,
  bun: (shell, call) => ((call.args[0] ?? '-').startsWith('-') ? NODE(shell, call) : undefined),
  deno: (shell, { args, stdin }) => {
    const [verb, ...rest] = args
    const { words } = readOptions(rest, { longValues: ['ext', 'config', 'import-map', 'cert'] })
    if (verb === 'eval') readCode(shell, JAVASCRIPT, words[0] ?? '')
    if (verb === 'run' && words[0] === '-') readInput(shell, JAVASCRIPT, stdin)
    return undefined
  },
  perl: (shell, call) => inPlace(shell, call, PERL),
  ruby: (shell, call) => inPlace(shell, call, RUBY),
  php: interpreter(PHP, { code: ['r', 'B', 'R', 'E', 'run'], values: 'rBREdfcSt', longValues: ['run'] }),
  lua: interpreter(LUA, { code: ['e'], values: 'el', longValues: [] }),
  luajit: interpreter(LUA, { code: ['e'], values: 'el', longValues: [] }),
  osascript: interpreter(APPLESCRIPT, { code: ['e'], values: 'els', longValues: [] }),
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
}

interface Flags {
  readonly code: readonly string[]
  readonly values: string
  readonly longValues: readonly string[]
}

function interpreter(language: Language, { code, values, longValues }: Flags): Program {
  return (shell, { args, stdin }) => {
    // `node -pe` is both, and takes one text.
    const plain = args.map((arg) => (arg === '-pe' ? '-e' : arg))
    const { all, find, words } = readOptions(plain, { values, longValues, stopsAtWord: true })
    const given = all(...code)
    for (const text of given) readCode(shell, language, text)
    if (given.length > 0 || find('m', 'version', 'help', 'V', 'h', 'test', 'check') !== undefined)
      return undefined
    if (language === JAVASCRIPT && find('v') !== undefined) return undefined
    const [file = '-'] = words
    if (file === '-' || file === '/dev/stdin') readInput(shell, language, stdin)
    else readFile(shell, language, file)
    return undefined
  }
}

function readInput(shell: Shell, language: Language, stdin: Stream): void {
  if (stdin && 'text' in stdin) readCode(shell, language, stdin.text)
  else if (!stdin)
    shell.unknown(`${language.name} runs what it reads from another command, which is only known then`)
}

/** A file of code is only looked into if this command line wrote it, or if it is a pipe. */
function readFile(shell: Shell, language: Language, file: string): void {
  const stream = isKnown(file) ? readFrom(shell, file) : undefined
  if (stream && 'text' in stream) readCode(shell, language, stream.text)
  else if (file.startsWith('/dev/fd/pipe')) readInput(shell, language, undefined)
}

/** perl and ruby take code with `-e` and change their files where they are with `-i`. */
function inPlace(shell: Shell, { args, stdin }: Call, language: Language): Stream {
  const codes: string[] = []
  const words: string[] = []
  let edits = false
  let options = true
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (!options || !/^-./.test(arg)) {
      words.push(arg)
      options &&= codes.length > 0
      continue
    }
    if (arg === '--') options = false
    // `-pi.bak -e code`: everything behind the `i` is a suffix, `e` takes the rest or the next word.
    const match = /^-([acdfhlnpsStTuUvwWx\d]*)(?:(i)[^]*|([eE])([^]*)|[IMmrF][^]*)?$/.exec(arg)
    if (match?.[2]) edits = true
    if (match?.[2] && /^-[a-zA-Z]*ie$/.test(arg)) codes.push(args[++at] ?? '')
    if (match?.[3]) codes.push(match[4] || (args[++at] ?? ''))
  }
  for (const code of codes) readCode(shell, language, code)
  if (
    codes.length === 0 &&
    (words.length === 0 || words[0] === '-') &&
    !args.some((arg) => /^--?v|^--/.test(arg))
  ) {
    readInput(shell, language, stdin)
  }
  if (codes.length === 0 && words[0] !== undefined) readFile(shell, language, words[0])
  const why = `${language.name} edits it in place`
  for (const word of edits ? words.slice(codes.length > 0 ? 0 : 1) : [])
    shell.write(word, { kind: 'unknown', why })
  return edits ? NOTHING : undefined
}
