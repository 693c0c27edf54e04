import { PmlError } from '@pml/core/errors'

/** What a patch of the form `*** Begin Patch` does to one file. */
export type FilePatch =
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  | { readonly kind: 'delete'; readonly path: string }
  | {
      readonly kind: 'update'
      readonly path: string
      readonly to: string | undefined
      readonly hunks: readonly Hunk[]
    }

/** Lines that are looked for, and lines that take their place. */
export interface Hunk {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

const header = /^\s*\*\*\* (Add|Delete|Update) File: (.+?)\s*$/
const moveTo = /^\*\*\* Move to: (.+?)\s*$/
const END_OF_FILE = '*** End of File'

/** Throws `bad_request` where a line is none of the form: then nobody knows what would be written. */
export function parsePatch(patch: string): FilePatch[] {
  const lines = patch.replaceAll('\r\n', '\n').trim().split('\n')
  const begin = lines.findIndex((line) => line.trim() === '*** Begin Patch')
  const end = lines.findLastIndex((line) => line.trim() === '*** End Patch')
  if (begin < 0 || end < begin) throw unreadable('expected *** Begin Patch … *** End Patch')
  const files: FilePatch[] = []
  let at = begin + 1
  while (at < end) {
    const found = header.exec(lines[at] ?? '')
    if (!found && lines[at]?.trim() !== '')
      throw unreadable(`expected *** Add, Delete or Update File at line ${at + 1}`)
    const stop = found ? bodyEnd(lines, { what: found[1], from: at + 1, end }) : at + 1
    if (found) files.push(fileOf(found, lines.slice(at + 1, stop)))
    at = stop
  }
  if (files.length === 0) throw unreadable('expected at least one file')
  return files
}

/** As Codex reads it: a header may have blanks in front, but what looks like one within a change is a line of the file. */
function bodyEnd(
  lines: readonly string[],
  { what, from, end }: { what: string | undefined; from: number; end: number },
): number {
  if (what === 'Delete') return from
  const isBody = (line: string) =>
    what === 'Add'
      ? line.startsWith('+')
      : !line.startsWith('***') || line === END_OF_FILE || moveTo.test(line)
  let at = from
  while (at < end && isBody(lines[at] ?? '')) at++
  return at
}

function fileOf([, what, path = '']: RegExpExecArray, body: readonly string[]): FilePatch {
  if (what === 'Delete') return { kind: 'delete', path }
  if (what === 'Add') return { kind: 'add', path, content: body.map(addedLine).join('') }
  const to = moveTo.exec(body[0] ?? '')?.[1]
  return { kind: 'update', path, to, hunks: hunksOf(to === undefined ? body : body.slice(1)) }
}

function addedLine(line: string): string {
  return `${line.slice(1)}\n`
}

function hunksOf(body: readonly string[]): Hunk[] {
  const hunks: { before: string[]; after: string[] }[] = []
  for (const line of body) {
    if (line.startsWith('@@') || hunks.length === 0) hunks.push({ before: [], after: [] })
    if (line.startsWith('@@') || line === END_OF_FILE) continue
    const hunk = hunks.at(-1)
    const [sign, rest] = [line[0] ?? ' ', line.slice(1)]
    if (!' +-'.includes(sign)) throw unreadable('expected lines of a change to start with a blank, + or -')
    if (sign !== '+') hunk?.before.push(rest)
    if (sign !== '-') hunk?.after.push(rest)
  }
  return hunks
}

/** The text after the changes; undefined where one of them finds no place. */
export function applyHunks(text: string, hunks: readonly Hunk[]): string | undefined {
  const lines = text.split(/\r?\n/)
  const find = finderIn(lines)
  const result: string[] = []
  let from = 0
  for (const { before, after } of hunks) {
    const at = find(before, from)
    if (at === undefined) return undefined
    for (const line of lines.slice(from, at)) result.push(line)
    for (const line of after) result.push(line)
    from = at + before.length
  }
  for (const line of lines.slice(from)) result.push(line)
  return result.join('\n')
}

const ways: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
]

/** As they are, then with blanks at their ends aside, then with all blanks around them aside: as Codex does. */
function finderIn(lines: readonly string[]) {
  const plain = new Map<(typeof ways)[number], readonly string[]>()
  return (wanted: readonly string[], from: number): number | undefined => {
    if (wanted.length === 0) return Math.max(from, lines.at(-1) === '' ? lines.length - 1 : lines.length)
    for (const way of ways) {
      const have = plain.get(way) ?? lines.map(way)
      plain.set(way, have)
      const want = wanted.map(way)
      for (let at = from; at <= have.length - want.length; at++)
        if (want.every((line, index) => have[at + index] === line)) return at
    }
    return undefined
  }
}

function unreadable(expected: string): PmlError {
  return new PmlError('bad_request', `Cannot read the patch: ${expected}`)
}
