const INDENT = '  '
const WIDEST_LEFT = 28
const WIDEST = 100
const NARROWEST_RIGHT = 20

/** The layout of text for a person. */
export interface Layout {
  /** Undefined without a terminal. */
  readonly width: number | undefined
  readonly hasColor: boolean
}

export function heading(text: string, { hasColor }: Layout): string {
  return hasColor ? `\u001B[1m${text}\u001B[22m` : text
}

/** Two columns: names on the left, wrapped descriptions on the right. */
export function printRows(
  rows: readonly (readonly [string, string])[],
  { width = WIDEST }: Layout,
): string[] {
  const longest = Math.max(0, ...rows.map(([name]) => name.length))
  const left = Math.min(longest, WIDEST_LEFT, Math.floor(width / 2) - INDENT.length)
  const margin = INDENT.length + left + 2
  const room = Math.max(NARROWEST_RIGHT, Math.min(width, WIDEST) - margin)
  return rows.flatMap(([name, about]) => {
    const lines = wrap(about, room).map((line) => `${' '.repeat(margin)}${line}`)
    if (name.length > left) return [`${INDENT}${name}`, ...lines]
    const [first = ''] = lines
    return [`${INDENT}${name.padEnd(left)}  ${first.slice(margin)}`.trimEnd(), ...lines.slice(1)]
  })
}

export function wrap(text: string, room: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of printable(text).split(/\s+/).filter(Boolean)) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return line === '' ? lines : [...lines, line]
}

/** Escapes untrusted text, which must not move the cursor, set colours or change the reading direction. */
export function printable(text: string): string {
  return text.replaceAll(
    /(?![\n\t])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
