export const description = 'Lists the headings of a Markdown text with their level, line and anchor'

export const inputSchema = {
  type: 'object',
  properties: {
    markdown: { type: 'string', description: 'Markdown text; headings in code blocks do not count' },
  },
  required: ['markdown'],
  additionalProperties: false,
} as const

export const permissions = {}

type Heading = { level: number; title: string; line: number; anchor: string }

export default async function outline(args: { markdown: string }): Promise<{ headings: Heading[] }> {
  const { markdown } = args
  if (typeof markdown !== 'string') {
    throw new Error(`Cannot outline: expected markdown to be a string, got ${typeof markdown}`)
  }

  const headings: Heading[] = []
  const seen = new Map<string, number>()
  let fence = ''
  for (const [index, line] of markdown.split(/\r?\n/).entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence !== '') {
      if (mark.startsWith(fence) && line.trim() === mark) fence = ''
      continue
    }
    fence = mark
    const level = /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line)?.[1]?.length
    if (level === undefined) continue
    const title = titleOf(line.trim().slice(level))
    headings.push({ level, title, line: index + 1, anchor: anchorOf(title, seen) })
  }
  return { headings }
}

/** Signs at the end close a heading only after a space: C# keeps its own. */
function titleOf(text: string): string {
  const words = text.trim().split(/[ \t]+/)
  if (/^#+$/.test(words.at(-1) ?? '')) words.pop()
  return words.join(' ')
}

/** As GitHub makes them: a repeated heading gets a number. */
function anchorOf(title: string, seen: Map<string, number>): string {
  const base = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
  const count = seen.get(base) ?? 0
  seen.set(base, count + 1)
  return count === 0 ? base : `${base}-${count}`
}
