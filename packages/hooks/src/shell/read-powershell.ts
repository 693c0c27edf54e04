import type { ShellContent, ShellFacts, ShellPlace } from './words/facts.ts'
import { hole, isKnown, patternOf, readable, withoutEdges } from './words/holes.ts'
import { isNoFile, wholePath } from './words/paths.ts'
import { splitPowerShell } from './powershell-words.ts'
import type { PowerShellCommand } from './powershell-words.ts'
import { createRecord } from './record.ts'
import type { FactRecord } from './record.ts'
import { takesCommands } from './sessions.ts'
import { TooMuch } from './words/shell.ts'

const LONGEST_BYTES = 1 << 20

/** Finds what a PowerShell command writes. Only literal paths are known. */
export function readPowerShell(command: string, place: ShellPlace): ShellFacts {
  const record = createRecord()
  if (command.length > LONGEST_BYTES) {
    record.giveUp(`The command is ${command.length} characters long, which is not read`)
    return record.facts()
  }
  try {
    const reading: Reading = { record, place, folder: place.cwd }
    for (const part of splitPowerShell(withoutEdges(command))) readPart(reading, part)
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error
    record.giveUp('The command does too much to be read as a whole')
  }
  return record.facts()
}

interface Reading {
  readonly record: FactRecord
  readonly place: ShellPlace
  folder: string | undefined
}

type Kind = 'save' | 'append' | 'copy' | 'move' | 'delete' | 'create' | 'fetch'

const NAMES: Readonly<{ [kind in Kind]: string }> = {
  save: 'set-content sc out-file tee-object tee clear-content clc export-csv epcsv export-clixml set-item si',
  append: 'add-content ac',
  copy: 'copy-item cp copy cpi',
  move: 'move-item mv move mi rename-item ren rni',
  delete: 'remove-item rm del ri rd erase rmdir',
  create: 'new-item ni',
  fetch: 'invoke-webrequest iwr curl wget invoke-restmethod irm',
}
const WRITERS: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind] as const)),
)

function readPart(reading: Reading, { words, redirects, source }: PowerShellCommand): void {
  const { record } = reading
  const [name = '', ...args] = words
  if (words.length > 0) record.command(words, [reading.folder])
  if (!isFed(source) && takesCommands(words)) record.session(words)
  const text = printedBy(words, source)
  for (const { target, appends } of redirects) write(reading, target, content(text, appends))
  for (const match of source.matchAll(/\[(?:System\.)?IO\.File\]::(\w+)\(\s*([^,)]*)(?:,\s*([^)]*))?\)/gi)) {
    readFileMethod(reading, match)
  }
  const lower = name.toLowerCase()
  const kind = WRITERS.get(lower)
  if (kind) readWriter(reading, kind, args)
  if (/^(?:cd|sl|chdir|set-location|pushd|push-location)$/.test(lower)) {
    reading.folder = wholePath(reading.folder, args.find((arg) => !arg.startsWith('-')) ?? reading.place.home)
  }
  if (
    /^(?:iex|invoke-expression|&|\.|start-process|saps)$/.test(lower) ||
    /-enc(?:odedcommand)?\b/i.test(source)
  ) {
    record.unknown(`PowerShell runs what is only known then: ${readable(source.trim()).slice(0, 200)}`)
  }
}

/** True if it gets its input from another command, or is a text and not a command. */
function isFed(source: string): boolean {
  return /^\s*\|(?!\|)|^[\s;|]*@?['"]/.test(source)
}

/** A quoted text prints itself: `'x' > a.txt`. A plain word may be a program. */
function printedBy([name = '', ...args]: readonly string[], source: string): string | undefined {
  if (/^(?:echo|write-output|write)$/i.test(name)) return `${args.join('\n')}\n`
  return args.length === 0 && /^[\s;|]*@?['"]/.test(source) ? `${name}\n` : undefined
}

function readWriter(reading: Reading, kind: string, args: readonly string[]): void {
  const { named, words } = readParameters(args)
  const path = named.get('path') ?? named.get('literalpath') ?? named.get('filepath') ?? named.get('name')
  const free = path === undefined ? words : [path, ...words]
  const [first = hole('?'), second] = free
  const value = named.get('value') ?? named.get('inputobject') ?? (path === undefined ? second : words[0])
  if (kind === 'save' || kind === 'append')
    return write(reading, first, content(value && `${value}\n`, kind === 'append'))
  if (kind === 'delete') return free.forEach((word) => write(reading, word, { kind: 'deleted' }))
  if (kind === 'create') {
    if (/^dir/i.test(named.get('itemtype') ?? named.get('type') ?? '')) return
    const folder =
      named.has('name') && named.has('path') ? `${named.get('path') ?? ''}/${named.get('name') ?? ''}` : first
    return write(reading, folder, { kind: 'append', text: named.get('value') ?? '' })
  }
  if (kind === 'fetch') {
    const file = named.get('outfile') ?? named.get('o')
    if (file !== undefined) write(reading, file, { kind: 'unknown', why: 'it is fetched from elsewhere' })
    return
  }
  const target =
    named.get('destination') ?? named.get('newname') ?? (path === undefined ? second : words[0]) ?? hole('?')
  const from = wholePath(reading.folder, first)
  write(
    reading,
    target,
    from === undefined ? content(undefined, false) : { kind: kind === 'move' ? 'move' : 'copy', from },
  )
  if (kind === 'move') write(reading, first, { kind: 'moved', to: wholePath(reading.folder, target) })
}

/** `-Path x -Force y`: switches are known by name, every other parameter takes the next word. */
function readParameters(args: readonly string[]): { named: Map<string, string>; words: string[] } {
  const named = new Map<string, string>()
  const words: string[] = []
  for (let at = 0; at < args.length; at++) {
    const name = /^-([a-z]+):?$/i.exec(args[at] ?? '')?.[1]?.toLowerCase()
    if (name === undefined) words.push(args[at] ?? '')
    else if (
      !/^(?:force|recurse|r|rf|fr|f|passthru|nonewline|append|noclobber|confirm|whatif|usebasicparsing|notypeinformation|verbose)$/.test(
        name,
      )
    ) {
      named.set(full(name), args[++at] ?? '')
    }
  }
  return { named, words }
}

const PARAMETERS = [
  'path',
  'literalpath',
  'filepath',
  'value',
  'destination',
  'newname',
  'itemtype',
  'outfile',
  'inputobject',
  'encoding',
]

function full(name: string): string {
  return PARAMETERS.find((parameter) => name.length > 1 && parameter.startsWith(name)) ?? name
}

function readFileMethod(reading: Reading, [, method = '', path = '', value = '']: readonly string[]): void {
  if (!/^(?:Write|Append|Create|Open(?!Read|Text)|Copy|Move|Delete|Replace)/i.test(method)) return
  const second = /^(?:Copy|Move|Replace)/i.test(method)
  const target = literal(second ? value : path)
  const text = /^(?:Write|Append)AllText$/i.test(method) ? literal(value) : undefined
  const known = text !== undefined && isKnown(text) ? text : undefined
  write(
    reading,
    target,
    /^Delete/i.test(method) ? { kind: 'deleted' } : content(known, /^Append/i.test(method)),
  )
}

function literal(expression: string): string {
  const inside = /^\s*(?:'([^']*)'|"([^"$`]*)")\s*$/.exec(expression)
  return inside?.[1] ?? inside?.[2] ?? hole(expression.trim() || '?')
}

function content(text: string | undefined, appends: boolean): ShellContent {
  if (text === undefined || !isKnown(text))
    return { kind: 'unknown', why: 'it is only known when the command runs' }
  return { kind: appends ? 'append' : 'text', text }
}

function write({ record, folder, place }: Reading, word: string, what: ShellContent): void {
  const expanded = word.replace(/^(?:~|\$HOME|\$env:USERPROFILE)(?=[\\/])/i, () => place.home)
  if (/^(?:\$null|nul)$/i.test(readable(expanded)) || word === '') return
  const path = /[*?]/.test(expanded) ? undefined : wholePath(folder, slashes(expanded, folder))
  if (path !== undefined && isNoFile(path)) return
  const partly = patternOf(expanded)?.replaceAll('?', '*')
  const pattern = path === undefined && partly ? wholePath(folder, slashes(partly, folder)) : undefined
  record.write({
    path,
    ...(pattern === undefined ? {} : { pattern }),
    written: readable(word),
    content: what,
  })
}

/** On systems with slashes PowerShell accepts both separators. */
function slashes(word: string, folder: string | undefined): string {
  return folder?.startsWith('/') && isKnown(word) ? word.replaceAll('\\', '/') : word
}
