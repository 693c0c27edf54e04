import { hole, isKnown, readable } from '../words/holes.ts'
import { readOptions } from '../words/options.ts'
import { lastName } from '../words/paths.ts'
import { NOTHING, TERMINAL } from '../words/shell.ts'
import type { Call, Program, Shell, Stream } from '../words/shell.ts'

/** Programs that edit a file in place. */
export const EDITORS: Readonly<Record<string, Program>> = {
  sed,
  gsed: sed,
  ed: edit,
  red: edit,
  ex: edit,
  vi: edit,
  vim: edit,
  nvim: edit,
  emacs: (shell, call) =>
    call.args.some((arg) => /^--?(?:batch|eval|script)/.test(arg)) ? edit(shell, call) : undefined,
}

const ADDRESS = String.raw`(?:\d+|\$|/[^/\n]*/)?(?:,(?:\d+|\$|/[^/\n]*/))?`
const SED_WRITE = new RegExp(String.raw`(?:^|[;{}\n])\s*${ADDRESS}\s*[wW]\s+([^\s;}]+)`, 'g')
const SED_SUBSTITUTE_WRITE =
  /s([^\w\s\\])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gIipme\d]*w\s+([^\s;}]+)/g
const SED_RUNS =
  /s([^\w\s\\])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gIipm\d]*e|(?:^|[;{}\n])\s*(?:\d+|\$)?e\s+\S/

/** Matches any form of address and flags before it. */
const SED_MAY_WRITE = /(?:^|[^A-Za-z\\])[gpeiIMm\d]*[wW][ \t]*([^\s;}]+)/g

function sed(shell: Shell, { args }: Call): Stream {
  // `-i` takes the text directly after it, so `-i.bak` and `-i` are recognised here, apart from `-e` and `-f`.
  const { words, find, all } = readOptions(args, {
    values: 'efl',
    longValues: ['expression', 'file', 'line-length'],
  })
  const given = find('e', 'f', 'expression', 'file') !== undefined
  const scripts = [...all('e', 'expression'), ...(given ? [] : words.slice(0, 1))]
  for (const script of scripts) readSedScript(shell, script)
  const files = all('f', 'file')
  if (files.length > 0) shell.act('sed', [...args, ...(files.includes('-') ? [hole('$')] : [])])
  if (!args.some((arg) => /^-[a-zA-Z]*[iI]/.test(arg) || arg.startsWith('--in-'))) return undefined
  const suffixes = args.flatMap((arg) => /^(?:-[nErsuz]*i|--in-place=)([^]+)$/.exec(arg)?.[1] ?? [])
  // BSD: `sed -i '' script file`
  const rest = words.filter((word) => word !== '')
  for (const file of given ? rest : rest.slice(1)) {
    shell.write(file, { kind: 'unknown', why: 'sed edits it in place' })
    for (const suffix of suffixes)
      shell.write(keptName(file, suffix), { kind: 'unknown', why: 'sed keeps what was there' })
  }
  return NOTHING
}

/** `.bak` follows the name; a star stands for it. */
export function keptName(file: string, suffix: string): string {
  const name = lastName(file)
  const kept = suffix.includes('*') ? suffix.replaceAll('*', () => name) : name + suffix
  return kept.includes('/') ? kept : file.slice(0, file.length - name.length) + kept
}

function readSedScript(shell: Shell, script: string): void {
  if (script.length > 20_000) return shell.act('sed', [script])
  const named = [...script.matchAll(SED_MAY_WRITE)].map(([, file = '']) => file)
  if (named.length > 0) shell.act('sed', named)
  for (const match of script.matchAll(SED_WRITE)) saveFrom(shell, match[1])
  for (const match of script.matchAll(SED_SUBSTITUTE_WRITE)) saveFrom(shell, match[2])
  if (SED_RUNS.test(script)) shell.unknown(`sed runs commands that are only known then: ${readable(script)}`)
}

function saveFrom(shell: Shell, file: string | undefined): void {
  if (file !== undefined) shell.write(file, { kind: 'unknown', why: 'sed writes lines into it' })
}

/** Edits of an editor are not simulated. Without commands it only waits for input. */
function edit(shell: Shell, { name, args, stdin }: Call): Stream {
  const { words, find, all } = readOptions(args, {
    values: name === 'ed' ? 'p' : 'cSuTtUdi',
    longValues: ['cmd', 'eval', 'load'],
  })
  const commands = [
    ...all('c', 'cmd'),
    ...args.filter((arg) => arg.startsWith('+')).map((arg) => arg.slice(1)),
  ]
  const scripted =
    commands.length > 0 || find('s', 'S', 'es', 'eval', 'batch') !== undefined || stdin !== TERMINAL
  if (!scripted) return undefined
  const input = stdin && 'text' in stdin ? [stdin.text] : stdin ? [] : [hole('$')]
  shell.act(name, [...args, ...input])
  for (const word of words.filter((word) => !word.startsWith('+'))) {
    shell.write(word, { kind: 'unknown', why: `${name} edits it` })
  }
  for (const text of [...commands, stdin && 'text' in stdin ? stdin.text : ''])
    readEditorCommands(shell, text)
  return undefined
}

/** `w other.js` and `!command` */
function readEditorCommands(shell: Shell, text: string): void {
  for (const match of text.matchAll(/(?:^|[\n|:])\s*(?:sav|saveas|w|write|wq)!?\s+([^\s|!][^\s|]*)/g)) {
    shell.write(match[1] ?? '', { kind: 'unknown', why: 'an editor saves it' })
  }
  for (const match of text.matchAll(/(?:^|[\n|:])\s*(?:r\s*)?!(.+)/g)) {
    if (isKnown(match[1] ?? '')) shell.source(match[1] ?? '', undefined)
  }
}
