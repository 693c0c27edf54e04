import type { ShellContent } from '../words/facts.ts'
import { hole, isKnown, readable } from '../words/holes.ts'
import { wholePath } from '../words/paths.ts'
import { TERMINAL } from '../words/shell.ts'
import type { Shell } from '../words/shell.ts'
import type { FileCall, Language } from './calls.ts'
import { readArguments, readConstants, readText } from './expressions.ts'
import { plainNames } from './plain-names.ts'
import { contentOfHandle } from './handles.ts'

const DEEPEST = 3

interface Reading {
  readonly shell: Shell
  readonly language: Language
  readonly code: string
  readonly constants: ReadonlyMap<string, string>
}

interface FoundCall {
  readonly args: readonly string[]
  readonly start: number
  readonly end: number
}

/** Finds writes and commands in code of another language, without simulating it. */
export function readCode(shell: Shell, language: Language, text: string, depth = 0): void {
  shell.code(language.name, text)
  if (!/\w/.test(text.replaceAll(/\0[^\0]*\0/g, ''))) {
    if (text.trim() !== '')
      shell.unknown(`${language.name} code is run that is only known then: ${readable(text)}`)
    return
  }
  const code = plainNames(text, language)
  const reading: Reading = { shell, language, code, constants: readConstants(code) }
  shell.inSubshell(() => {
    moveFolders(reading)
    for (const file of language.files) {
      for (const call of calls(reading, file.call)) readFileCall(reading, file, call)
    }
    readCommands(reading)
    readEvals(reading, depth)
    return undefined
  })
  for (const pattern of language.hides) {
    const found = code.match(pattern)?.[0]
    if (found !== undefined)
      shell.unknown(`Which function ${language.name} code calls is only known then: ${readable(found)}…`)
  }
}

/** After `os.chdir('src')` a path may be relative to either folder, because the order of calls is unknown. */
function moveFolders(reading: Reading): void {
  const { scope } = reading.shell
  for (const { args } of calls(reading, /\bchdir\b\s*\(?/g)) {
    const target = pathOf(reading, args[0])
    scope.folders = [...new Set([...scope.folders, wholePath(scope.folders[0], target)])].slice(0, 8)
  }
}

function calls({ shell, code }: Reading, pattern: RegExp): readonly FoundCall[] {
  return [...code.matchAll(pattern)].map((match) => {
    const start = match.index
    const from = start + match[0].length
    const { args, end } = readArguments(code, from, match[0].includes('('))
    shell.spend(1 + (end - start) / 500)
    return { args, start, end }
  })
}

function readFileCall(reading: Reading, file: FileCall, call: FoundCall): void {
  const { shell } = reading
  const [first, second] = call.args
  const receiver = file.onReceiver ? receiverBefore(reading.code, call.start) : undefined
  if (file.onReceiver && (receiver === undefined || MODULES.test(receiver))) return
  const path = pathOf(reading, receiver ?? first)
  switch (file.does) {
    case 'open':
    case 'open-first':
      return readOpen(reading, file, call)
    case 'write':
    case 'append': {
      const text = textOf(reading, file.onReceiver ? first : second)
      const appends = file.does === 'append' || call.args.some((arg) => /FILE_APPEND|['"]a\+?['"]/.test(arg))
      return shell.write(
        path,
        toContent(file.does === 'append' && text === undefined && second === undefined ? '' : text, appends),
      )
    }
    case 'fetch':
      return shell.write(path, NOT_KNOWN)
    case 'delete': {
      const words = file.onReceiver ? [path] : listOf(reading, first ?? '')
      for (const word of words) shell.write(word, { kind: 'deleted' })
      return
    }
    default: {
      const target = pathOf(reading, second)
      const from = wholePath(shell.scope.folders[0], path)
      const isFile = from !== undefined && !/^[a-z]+:\/\//.test(path)
      const kind = file.does === 'move' ? 'move' : 'copy'
      shell.write(target, isFile ? { kind, from } : NOT_KNOWN)
      if (file.does === 'move')
        shell.write(path, { kind: 'moved', to: wholePath(shell.scope.folders[0], target) })
    }
  }
}

/** Functions of these modules are not methods of a path: `os.unlink`, `io.open`. */
const MODULES = /^(?:io|os|codecs|gzip|bz2|lzma|tarfile|aiofiles|builtins|webbrowser|Image)$/

const NOT_KNOWN: ShellContent = { kind: 'unknown', why: 'the code works it out' }

/** A file that is opened for reading is not written. */
function readOpen(reading: Reading, file: FileCall, call: FoundCall): void {
  const { shell, code } = reading
  const [first = '', second = ''] = call.args
  if (file.does === 'open-first') return readPerlOpen(reading, call)
  const receiver = file.onReceiver ? receiverBefore(code, call.start) : undefined
  const named = call.args.find((arg) => /^(?:mode|flags?)\s*[=:]/.test(arg))?.replace(/^\w+\s*[=:]\s*/, '')
  const mode = named ?? (file.onReceiver ? first : second)
  if (mode === '' || /^(?:encoding|errors|newline|'utf|"utf|\(|function|async|err)/.test(mode)) return
  const text = textOf(reading, mode)
  const writes =
    text === undefined ? !/^(?:\w+\.)*O_RDONLY$|^[{\d]/.test(mode) : /[wax+]/.test(text) && text.length <= 4
  if (!writes) return
  const path = receiver === undefined ? pathOf(reading, first) : pathOf(reading, receiver)
  const content = contentOfHandle({ code, call, text: (expression) => textOf(reading, expression) })
  shell.write(path, toContent(content, text?.includes('a') ?? false))
}

/** `open(F, '>', 'a')` and `open(F, '>a')` */
function readPerlOpen(reading: Reading, { args }: FoundCall): void {
  const [first = '', second] = args
  const mode = textOf(reading, first)
  const known = mode ?? ''
  if (mode !== undefined && /^\s*(?:<(?!.*>)|[^<>|+\s])/.test(known)) return
  if (/^\s*(?:\||-\|)|\|\s*$/.test(known)) {
    const command = second === undefined ? known.replaceAll(/^\s*-?\||\|\s*$/g, '') : textOf(reading, second)
    if (command === undefined) reading.shell.unknown('perl code starts a command that is only known then')
    else reading.shell.source(command, TERMINAL)
    return
  }
  const path =
    second === undefined
      ? mode === undefined
        ? hole(first)
        : known.replace(/^\s*\+?>{1,2}\s*/, '')
      : pathOf(reading, second)
  if (mode === undefined && second === undefined && !/['"]\s*\+?>/.test(first)) return
  reading.shell.write(path, NOT_KNOWN)
}

function readCommands({ shell, code, constants, language }: Reading): void {
  // `/x/.exec(text)` is a regular expression unless the code mentions processes.
  const starts = language.name !== 'javascript' || /child_process|Deno|Bun|execa|zx|shelljs/.test(code)
  for (const pattern of starts ? language.shells : []) {
    for (const { args } of calls({ shell, code, constants, language }, pattern)) {
      if (args.length > 0) runStarted({ shell, code, constants, language }, args)
    }
  }
  for (const pattern of language.commands) {
    for (const match of code.matchAll(pattern)) {
      const text = (match[1] ?? '').replaceAll(/\$\{[^}]*\}|#\{[^}]*\}/g, (source) => hole(source))
      if (isKnown(text) && !/\$\w/.test(text)) shell.inSubshell(() => shell.source(text, TERMINAL))
      else shell.unknown(`${language.name} code starts a command that is only known then: ${readable(text)}`)
    }
  }
}

/** The command of a call: a text for a shell, a list of words, or a program and its list. */
function runStarted(reading: Reading, args: readonly string[]): void {
  const { shell, language } = reading
  const [first = '', second = ''] = args.map((arg) => arg.replace(/^(?:args|cmd)\s*=\s*/, ''))
  const words = first.startsWith('[') ? listOf(reading, first) : undefined
  if (words && isKnown(words[0] ?? '')) {
    shell.inSubshell(() => shell.run(words, TERMINAL))
    return
  }
  const text = textOf(reading, first)
  const more = /^\[|args\s*:\s*\[/.test(second)
    ? listOf(reading, second.slice(second.indexOf('[')))
    : plainRest(reading, args.slice(1))
  if (text === undefined || !isKnown(text)) {
    shell.unknown(
      `${language.name} code starts a command that is only known then: ${readable(first).slice(0, 200)}`,
    )
  } else if (more.length > 0) shell.inSubshell(() => shell.run([text, ...more], TERMINAL))
  else shell.inSubshell(() => shell.source(text, TERMINAL))
}

/** `system('rm', 'a.js')` */
function plainRest(reading: Reading, args: readonly string[]): readonly string[] {
  const texts = args.map((arg) => textOf(reading, arg))
  return texts.length > 0 && !texts.includes(undefined) && /^(?:perl|ruby)$/.test(reading.language.name)
    ? texts.map((text) => text ?? '')
    : []
}

function readEvals(reading: Reading, depth: number): void {
  const { shell, language } = reading
  for (const pattern of language.evals) {
    for (const { args } of calls(reading, pattern)) {
      const text = textOf(reading, args.at(-1))
      if (args.length === 0) continue
      if (text !== undefined && depth < DEEPEST) readCode(shell, language, text, depth + 1)
      else
        shell.unknown(
          `${language.name} code runs text that is only known then: ${readable(args[0] ?? '').slice(0, 200)}`,
        )
    }
  }
}

function textOf({ constants }: Reading, expression: string | undefined): string | undefined {
  if (expression === undefined) return undefined
  const text = readText(expression, constants)
  return text === undefined || !isKnown(text) ? undefined : text
}

function pathOf({ constants }: Reading, expression = ''): string {
  return readText(expression, constants) ?? hole(expression.slice(0, 200) || '?')
}

function listOf(reading: Reading, expression: string): readonly string[] {
  if (!expression.startsWith('[')) return [pathOf(reading, expression)]
  return readArguments(expression, 1, true).args.map((arg) => pathOf(reading, arg))
}

function toContent(text: string | undefined, appends: boolean): ShellContent {
  return text === undefined ? NOT_KNOWN : { kind: appends ? 'append' : 'text', text }
}

/** `Path('a.js')` of `Path('a.js').write_text`, `p` of `p.write_text`. */
function receiverBefore(code: string, dot: number): string | undefined {
  let at = dot
  if (code[at - 1] === ')') {
    let depth = 0
    do {
      at--
      if (code[at] === ')') depth++
      if (code[at] === '(') depth--
    } while (at > 0 && depth > 0 && dot - at < 2000)
  }
  while (at > 0 && /[\w.$]/.test(code[at - 1] ?? '')) at--
  return code.slice(at, dot) || undefined
}
