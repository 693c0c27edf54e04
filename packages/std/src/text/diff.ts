export const description =
  'Compares two texts line by line and prints a unified diff, as git and patch read it'

export const inputSchema = {
  type: 'object',
  properties: {
    before: { type: 'string', description: 'Old text' },
    after: { type: 'string', description: 'New text' },
    context: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      default: 3,
      description: 'Equal lines around each change',
    },
    path: { type: 'string', default: 'text', description: 'Name in the header of the diff' },
  },
  required: ['before', 'after'],
  additionalProperties: false,
} as const

export const permissions = {}

/** Pairs of differing lines to compare: 4 bytes each. */
const LIMIT_PAIRS = 25_000_000

type Line = { sign: ' ' | '-' | '+'; text: string }

export default async function diff(args: {
  before: string
  after: string
  context?: number
  path?: string
}): Promise<{ diff: string; added: number; removed: number }> {
  const { before, after, context = 3, path = 'text' } = args
  if (typeof before !== 'string') throw wrong('before to be a string', typeof before)
  if (typeof after !== 'string') throw wrong('after to be a string', typeof after)
  if (typeof path !== 'string' || /[\r\n]/.test(path))
    throw wrong('path to be a string of one line', typeof path)
  if (!Number.isInteger(context) || context < 0 || context > 100) {
    throw wrong('context to be an integer from 0 to 100', JSON.stringify(context))
  }
  const lines = compare(linesOf(before), linesOf(after))
  const hunks = [...hunksOf(lines, context)].join('')
  return {
    diff: hunks === '' ? '' : `--- a/${path}\n+++ b/${path}\n${hunks}`,
    added: lines.filter(({ sign }) => sign === '+').length,
    removed: lines.filter(({ sign }) => sign === '-').length,
  }
}

/** Each with its newline, so that a missing one at the end is a difference too. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function compare(before: readonly string[], after: readonly string[]): Line[] {
  const shortest = Math.min(before.length, after.length)
  let head = 0
  while (head < shortest && before[head] === after[head]) head++
  let tail = 0
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return [
    ...before.slice(0, head).map((text) => ({ sign: ' ' as const, text })),
    ...compareMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map((text) => ({ sign: ' ' as const, text })),
  ]
}

/** By the longest common subsequence: `common` holds its length for every pair of endings. */
function* compareMiddle(before: readonly string[], after: readonly string[]): Generator<Line> {
  const width = after.length + 1
  if (before.length * after.length > LIMIT_PAIRS) {
    throw wrong('fewer changed lines', `${before.length} old and ${after.length} new ones`)
  }
  const common = new Uint32Array((before.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const longest = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
      common[i * width + j] = longest
    }
  }
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const [old, fresh] = [before[i], after[j]]
    if (old !== undefined && old === fresh) {
      yield { sign: ' ', text: old }
      i++
      j++
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      yield { sign: '-', text: old }
      i++
    } else if (fresh !== undefined) {
      yield { sign: '+', text: fresh }
      j++
    }
  }
}

function* hunksOf(lines: readonly Line[], context: number): Generator<string> {
  let [oldAt, newAt, done] = [1, 1, 0]
  for (;;) {
    const change = lines.findIndex(({ sign }, index) => index >= done && sign !== ' ')
    if (change < 0) return
    const start = Math.max(done, change - context)
    const end = endOfHunk(lines, change, context)
    oldAt += start - done
    newAt += start - done
    const hunk = lines.slice(start, end)
    const oldCount = hunk.filter(({ sign }) => sign !== '+').length
    const newCount = hunk.filter(({ sign }) => sign !== '-').length
    yield `@@ -${range(oldAt, oldCount)} +${range(newAt, newCount)} @@\n${hunk.map(print).join('')}`
    oldAt += oldCount
    newAt += newCount
    done = end
  }
}

/** Changes that are at most twice the context apart share a hunk. */
function endOfHunk(lines: readonly Line[], change: number, context: number): number {
  let last = change
  for (let index = change; index < lines.length && index <= last + 2 * context + 1; index++) {
    if (lines[index]?.sign !== ' ') last = index
  }
  return Math.min(lines.length, last + context + 1)
}

/** An empty range stands after the line before it. */
function range(start: number, count: number): string {
  if (count === 1) return `${start}`
  return `${count === 0 ? start - 1 : start},${count}`
}

function print({ sign, text }: Line): string {
  return text.endsWith('\n') ? sign + text : `${sign}${text}\n\\ No newline at end of file\n`
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot diff: expected ${expected}, got ${got}`)
}
