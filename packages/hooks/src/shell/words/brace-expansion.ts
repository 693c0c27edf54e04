/** More words than a person writes. */
const MOST_WORDS = 2000

/** Expands `{a,b}` and `{1..3}` in the source of a word like bash, before anything else. Undefined if there are too many. */
export function expandBraces(source: string): readonly string[] | undefined {
  const done: string[] = []
  const todo = [source]
  for (let source = todo.pop(); source !== undefined; source = todo.pop()) {
    const found = firstBrace(source)
    if (!found) {
      done.push(source)
    } else {
      const { start, end, alternatives } = found
      for (const alternative of alternatives.toReversed()) {
        todo.push(source.slice(0, start) + alternative + source.slice(end))
      }
    }
    if (done.length + todo.length > MOST_WORDS) return undefined
  }
  return done
}

interface Brace {
  readonly start: number
  readonly end: number
  readonly alternatives: readonly string[]
}

function firstBrace(source: string): Brace | undefined {
  for (let start = 0; start < source.length; start = afterQuoted(source, start)) {
    if (source[start] !== '{') continue
    const brace = readBrace(source, start)
    if (brace) return brace
  }
  return undefined
}

function readBrace(source: string, start: number): Brace | undefined {
  const commas: number[] = []
  let depth = 0
  for (let at = start; at < source.length; at = afterQuoted(source, at)) {
    const char = source[at]
    if (char === '{') depth++
    if (char === ',' && depth === 1) commas.push(at)
    if (char === '}') depth--
    if (depth > 0) continue
    const alternatives = commas.length
      ? cut(source, [start, ...commas, at])
      : sequence(source.slice(start + 1, at))
    return alternatives && { start, end: at + 1, alternatives }
  }
  return undefined
}

function cut(source: string, edges: readonly number[]): readonly string[] {
  return edges.slice(1).map((edge, index) => source.slice((edges[index] ?? 0) + 1, edge))
}

/** The next position outside of quotes and expansions. */
function afterQuoted(source: string, at: number): number {
  const char = source[at]
  if (char === '\\') return at + 2
  if (char === "'" || char === '`') return closing(source, at + 1, char)
  if (char === '"') return closing(source, at + 1, '"')
  if (char === '$' && source[at + 1] === '{') return closing(source, at + 2, '}')
  if (char === '$' && source[at + 1] === '(') return closing(source, at + 2, ')')
  return at + 1
}

function closing(source: string, from: number, close: string): number {
  for (let at = from; at < source.length; at++) {
    if (source[at] === '\\' && close !== "'") at++
    else if (source[at] === close) return at + 1
  }
  return source.length
}

function sequence(inside: string): readonly string[] | undefined {
  const match = /^(-?\d{1,9}|[a-zA-Z])\.\.(-?\d{1,9}|[a-zA-Z])(?:\.\.(-?\d{1,9}))?$/.exec(inside)
  if (!match) return undefined
  const [, first = '', last = '', by = '1'] = match
  const letters = !/\d/.test(first + last)
  if (!letters && /[a-z]/i.test(first + last)) return undefined
  const [from, to] = letters ? [first.charCodeAt(0), last.charCodeAt(0)] : [Number(first), Number(last)]
  const step = (Math.abs(Number(by)) || 1) * (from <= to ? 1 : -1)
  const count = Math.min(Math.floor((to - from) / step) + 1, MOST_WORDS + 1)
  const width = /^-?0\d/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0
  return Array.from({ length: count }, (_, index) => {
    const value = from + index * step
    return letters ? String.fromCharCode(value) : String(value).padStart(width, '0')
  })
}
