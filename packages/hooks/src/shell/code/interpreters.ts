import { hole, isKnown } from '../words/holes.ts'
import { conductOf, moduleConduct, scriptConduct } from '../words/known-readers.ts'
import { noteConduct } from '../words/note-conduct.ts'
import { readOptions } from '../words/options.ts'
import { readFrom } from '../words/redirects.ts'
import { NOTHING } from '../words/shell.ts'
import type { Call, Program, Shell, Stream } from '../words/shell.ts'
import { keptName } from '../writers/editing.ts'
import { awk } from './awk.ts'
import { LANGUAGES } from './calls.ts'
import type { Language } from './calls.ts'
import { onlyReads } from './only-reads.ts'
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

/** Programs that run code in an argument or on stdin. */
export const INTERPRETERS: Readonly<Record<string, Program>> = {
  python: PYTHONS,
  pypy: PYTHONS,
  node: NODE,
  nodejs: NODE,
  tsx: NODE,
  'ts-node': NODE,
  'ts-node-dev': NODE,
  esno: NODE,
  jiti: NODE,
  bun: (shell, call) => {
    const [verb = '-', ...args] = call.args
    if (verb.startsWith('-')) return NODE(shell, call)
    const script = verb === 'run' ? (args[0] ?? '') : verb
    const isOwn = conductOf('bun', call.args) === 'reads'
    noteConduct(shell, isOwn ? 'reads' : scriptConduct(script), { ...call, args })
    return undefined
  },
  deno: (shell, { args, stdin }) => {
    const [verb, ...rest] = args
    const { words } = readOptions(rest, { longValues: ['ext', 'config', 'import-map', 'cert'] })
    if (verb === 'eval')
      runCode(shell, { language: JAVASCRIPT, text: words[0] ?? '', args: words.slice(1), stdin })
    else if (verb === 'run' && words[0] === '-')
      readInput(shell, { language: JAVASCRIPT, args: words.slice(1), stdin })
    else if (verb === 'run')
      noteConduct(shell, scriptConduct(words[0] ?? ''), { name: 'deno', args: words.slice(1), stdin })
    else noteConduct(shell, verb === 'fmt' ? 'keeps' : conductOf('deno', args), { name: 'deno', args, stdin })
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
  return (shell, { name, args, stdin }) => {
    // `node -pe` prints and evaluates, and takes one text.
    const plain = args.map((arg) => (arg === '-pe' ? '-e' : arg))
    const { all, find, words } = readOptions(plain, { values, longValues, stopsAtWord: true })
    const given = all(...code)
    for (const text of given) runCode(shell, { language, text, args: words, stdin })
    const steering = args.filter((arg) => STEERING_OPTION.test(arg))
    if (steering.length > 0) shell.act(name, steering)
    const loaded =
      language === JAVASCRIPT ? all('r', 'require', 'import', 'loader', 'experimental-loader') : []
    if (loaded.length > 0)
      shell.act(
        name,
        loaded.filter((file) => !/^[\w@]/.test(file) || file.startsWith('data:')),
      )
    const [module] = language === PYTHON ? all('m') : []
    if (module !== undefined)
      noteConduct(shell, moduleConduct(module, words), { name: module, args: words, stdin })
    if (given.length > 0 || find('m', 'version', 'help', 'V', 'h', 'test', 'check') !== undefined)
      return undefined
    if (language === JAVASCRIPT && find('v') !== undefined) return undefined
    // `tsx watch a.ts`
    const [file = '-', ...rest] = name === 'tsx' && words[0] === 'watch' ? words.slice(1) : words
    if (file === '-' || file === '/dev/stdin') readInput(shell, { language, args: rest, stdin })
    else readFile(shell, { language, file, args: rest, stdin })
    return undefined
  }
}

/** Options of node that write a file. */
const STEERING_OPTION =
  /^--(?:cpu-prof|heap-prof|trace|redirect|report|diagnostic|heapsnapshot|test-reporter-destination|build-snapshot)/

interface Running {
  readonly language: Language
  readonly args: readonly string[]
  readonly stdin: Stream
}

/** Code that takes a name from its environment. */
const TAKES_NAMES = /\benv\b|environ|getenv|\bENV\b|stdin|STDIN|\binput\(|<>|readline|chomp/

/** Code that may write gets all of its arguments, and its input. */
function runCode(shell: Shell, { language, text, args, stdin }: Running & { readonly text: string }): void {
  readCode(shell, language, text)
  if (onlyReads(language.name, text)) return
  const input = stdin && 'text' in stdin ? [stdin.text] : []
  const surroundings = TAKES_NAMES.test(text) ? [hole('$')] : []
  shell.act(language.name, [text, ...args, ...input, ...surroundings])
}

function readInput(shell: Shell, { language, args, stdin }: Running): void {
  if (stdin && 'text' in stdin) runCode(shell, { language, text: stdin.text, args, stdin: undefined })
  else if (!stdin)
    shell.unknown(`${language.name} runs what it reads from another command, which is only known then`)
}

/** A file of code is read only if this command line wrote it, or if it is a pipe. */
function readFile(shell: Shell, { language, file, args, stdin }: Running & { readonly file: string }): void {
  const stream = isKnown(file) ? readFrom(shell, file) : undefined
  if (stream && 'text' in stream) runCode(shell, { language, text: stream.text, args, stdin })
  else if (file.startsWith('/dev/fd/pipe')) readInput(shell, { language, args, stdin: undefined })
  else noteConduct(shell, scriptConduct(file), { name: file, args, stdin })
}

/** perl and ruby take code with `-e`, and edit files in place with `-i`. */
function inPlace(shell: Shell, { args, stdin }: Call, language: Language): Stream {
  const codes: string[] = []
  const words: string[] = []
  let edits = false
  const suffixes: string[] = []
  let options = true
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (!options || !/^-./.test(arg)) {
      words.push(arg)
      options &&= codes.length > 0
      continue
    }
    if (arg === '--') options = false
    // `-pi.bak -e code`: everything after the `i` is a suffix, `e` takes the rest or the next word.
    const match = /^-([acdfhlnpsStTuUvwWx\d]*)(?:(i)[^]*|([eE])([^]*)|[IMmrF][^]*)?$/.exec(arg)
    if (match?.[2]) {
      edits = true
      const suffix = /^-[^i]*i([^]+)$/.exec(arg)?.[1]
      if (suffix !== undefined && suffix !== 'e') suffixes.push(suffix)
    }
    if (match?.[2] && /^-[a-zA-Z]*ie$/.test(arg)) codes.push(args[++at] ?? '')
    if (match?.[3]) codes.push(match[4] || (args[++at] ?? ''))
  }
  for (const text of codes) runCode(shell, { language, text, args: words, stdin })
  if (
    codes.length === 0 &&
    (words.length === 0 || words[0] === '-') &&
    !args.some((arg) => /^--?v|^--/.test(arg))
  ) {
    readInput(shell, { language, args: words.slice(1), stdin })
  }
  if (codes.length === 0 && words[0] !== undefined && words[0] !== '-')
    readFile(shell, { language, file: words[0], args: words.slice(1), stdin })
  const why = `${language.name} edits it in place`
  for (const word of edits ? words.slice(codes.length > 0 ? 0 : 1) : [])
    for (const path of [word, ...suffixes.map((suffix) => keptName(word, suffix))])
      shell.write(path, { kind: 'unknown', why })
  return edits ? NOTHING : undefined
}
