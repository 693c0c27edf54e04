import { PmlError } from '@pml/core/errors'
import { trimBlanks, trimBlanksAtEnd } from './trim-blanks.ts'

/** The changes of a `*** Begin Patch` patch to one file. */
export type FilePatch =
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  | { readonly kind: 'delete'; readonly path: string }
  | {
      readonly kind: 'update'
      readonly path: string
      readonly to: string | undefined
      readonly hunks: readonly Hunk[]
    }

/** One change of a file: unchanged (blank), removed (-) and added (+) lines. */
export interface Hunk {
  /** A line somewhere before the change. */
  readonly context: string | undefined
  readonly lines: readonly { readonly sign: ' ' | '+' | '-'; readonly text: string }[]
  /** The change is at the end of the file. */
  readonly isEnd: boolean
}

const header = /^\*\*\* (Add|Delete|Update) File: (.+)$/
const moveTo = /^\*\*\* Move to: (.+)$/
const END_OF_FILE = '*** End of File'

/** Throws `bad_request` for an invalid line, because the result would be unknown. */
export function parsePatch(patch: string): FilePatch[] {
  // Codex removes a carriage return twice: when it splits the lines, and when it reads them.
  const lines = patch.split('\n').map((line) => line.replace(/\r{1,2}$/, ''))
  const begin = lines.findIndex((line) => trimBlanks(line) === '*** Begin Patch')
  const end = lines.findLastIndex((line) => trimBlanks(line) === '*** End Patch')
  if (begin < 0 || end < begin) throw unreadable('expected *** Begin Patch … *** End Patch')
  const files: FilePatch[] = []
  let at = begin + 1
  while (at < end) {
    const line = trimBlanks(lines[at] ?? '')
    const found = header.exec(line)
    if (!found && line !== '') throw unreadable(`expected *** Add, Delete or Update File at line ${at + 1}`)
    const stop = found ? bodyEnd(lines, { what: found[1], from: at + 1, end }) : at + 1
    if (found) files.push(fileOf(found, lines.slice(at + 1, stop)))
    at = stop
  }
  if (files.length === 0) throw unreadable('expected at least one file')
  return files
}

/** As Codex reads it: a header may be indented, but within a change such a line is content. */
function bodyEnd(
  lines: readonly string[],
  { what, from, end }: { what: string | undefined; from: number; end: number },
): number {
  if (what === 'Delete') return from
  const isBody = (line: string) =>
    what === 'Add'
      ? line.startsWith('+')
      : !line.startsWith('***') || trimBlanksAtEnd(line) === END_OF_FILE || moveTo.test(line)
  let at = from
  while (at < end && isBody(lines[at] ?? '')) at++
  return at
}

function fileOf([, what, path = '']: RegExpExecArray, body: readonly string[]): FilePatch {
  if (what === 'Delete') return { kind: 'delete', path }
  if (what === 'Add') return { kind: 'add', path, content: body.map(addedLine).join('') }
  const to = moveTo.exec(trimBlanksAtEnd(body[0] ?? ''))?.[1]
  return { kind: 'update', path, to, hunks: hunksOf(to === undefined ? body : body.slice(1)) }
}

function addedLine(line: string): string {
  return `${line.slice(1)}\n`
}

function hunksOf(body: readonly string[]): Hunk[] {
  const hunks: (Hunk & { lines: Hunk['lines'][number][]; isEnd: boolean })[] = []
  for (const line of body) {
    const marker = trimBlanksAtEnd(line)
    const last = hunks.at(-1)
    if (marker === '@@' || marker.startsWith('@@ ')) {
      hunks.push({ context: marker === '@@' ? undefined : marker.slice(3), lines: [], isEnd: false })
    } else if (marker === END_OF_FILE) {
      if (last) last.isEnd = true
    } else if (!last?.isEnd) {
      const hunk = last ?? { context: undefined, lines: [], isEnd: false }
      if (!last) hunks.push(hunk)
      hunk.lines.push(changeOf(line))
    } else if (marker !== '') {
      throw unreadable('expected @@ after *** End of File')
    }
  }
  return hunks
}

function changeOf(line: string): Hunk['lines'][number] {
  const sign = line[0] ?? ' '
  if (sign !== ' ' && sign !== '+' && sign !== '-')
    throw unreadable('expected lines of a change to start with a blank, + or -')
  return { sign, text: line.slice(1) }
}

function unreadable(expected: string): PmlError {
  return new PmlError('bad_request', `Cannot read the patch: ${expected}`)
}
