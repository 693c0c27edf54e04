import { showInvisible } from './show-invisible.ts'

interface Limits {
  readonly lines: number
  readonly bytes: number
}

const MOST_CHARACTERS = 160
/** How much text to keep before the position of interest. */
const LEAD = 40
const plainName = /^[A-Za-z0-9@/._~+:[\]-]+$/

/** Cuts a text to `most` characters from shortly before `at`, and adds how many were cut on either side. */
export function cutAround(text: string, { at, most }: { at: number; most: number }): string {
  if (text.length <= most) return text
  const start = wholeCharacter(text, Math.max(0, Math.min(at - LEAD, text.length - most)))
  const end = wholeCharacter(text, start + most)
  const before = start === 0 ? '' : `… (${start} characters before) `
  const behind = end === text.length ? '' : ` … (${text.length - end} more characters)`
  return before + text.slice(start, end) + behind
}

/** Prints a name or a value for a sentence: quoted unless it is plain, on one line, and cut. */
export function printInline(text: string): string {
  return plainName.test(text) ? cutAround(text, { at: 0, most: MOST_CHARACTERS }) : printQuoted(text)
}

export function printQuoted(text: string): string {
  return showInvisible(cutAround(JSON.stringify(text), { at: 0, most: MOST_CHARACTERS }))
}

const FEW_BLANK_LINES = 4

/** Replaces long runs of empty diff lines by their number. */
export function shortenBlankLines(lines: readonly string[]): string[] {
  const shown: string[] = []
  for (let at = 0; at < lines.length;) {
    const sign = lines[at]?.[0] ?? ''
    let end = at
    while (end < lines.length && isBlankLine(lines[end] ?? '', sign)) end++
    if (end - at > FEW_BLANK_LINES) shown.push(`${sign}… (${end - at} blank lines)`)
    else shown.push(...lines.slice(at, Math.max(end, at + 1)))
    at = Math.max(end, at + 1)
  }
  return shown
}

function isBlankLine(line: string, sign: string): boolean {
  return '+- '.includes(sign) && line.startsWith(sign) && line.slice(1).trim() === ''
}

/** Returns how many leading characters two texts share. */
export function sharedStart(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

/** `a, b, c and 7 more`. */
export function printSome(texts: readonly string[]): string {
  const most = 8
  const shown = texts.slice(0, most).join(', ')
  return texts.length > most ? `${shown} and ${texts.length - most} more` : shown
}

/** Returns the first lines that fit; the last line then counts the others, which are never printed. */
export function cutLines<Item>(
  items: readonly Item[],
  limits: Limits & { print: (item: Item) => string },
): string[] {
  const lines: string[] = []
  let bytes = 0
  for (const [index, item] of items.entries()) {
    const line = limits.print(item)
    bytes += byteLength(line)
    if (index >= limits.lines || bytes > limits.bytes) {
      const last = items.slice(-1).map(limits.print).join('')
      return [...lines, printMore(items.length - index - 1 + (findMore(last) ?? 1))]
    }
    lines.push(line)
  }
  return lines
}

export function printMore(count: number): string {
  return `… and ${count} more lines`
}

/** Includes the line end. */
export function byteLength(line: string): number {
  return Buffer.byteLength(line) + 1
}

/** Lines that were cut before may be cut again, and the count must stay right. */
function findMore(line: string): number | undefined {
  const count = /^… and (\d+) more lines$/.exec(line)?.[1]
  return count === undefined ? undefined : Number(count)
}

/** Avoids cutting a surrogate pair in half. */
function wholeCharacter(text: string, at: number): number {
  const isInside = at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xff_ff
  return isInside ? at - 1 : at
}
