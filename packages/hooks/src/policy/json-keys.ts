/**
 * Returns the first duplicate key of an object, of which JSON.parse keeps only the last: a rule must not vanish that way.
 * `value` is the parsed text. Equal counts, the normal case, are checked quickly.
 */
export function findRepeatedKey(json: string, value: unknown): string | undefined {
  return countColons(json) === countKeys(value) ? undefined : searchRepeatedKey(json)
}

/** At least one colon per key in normal JSON. */
function countColons(json: string): number {
  let count = 0
  for (let at = json.indexOf('":'); at >= 0; at = json.indexOf('":', at + 2)) count++
  return count
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = Array.isArray(value) ? 0 : Object.keys(value).length
  for (const key in value) count += countKeys((value as Record<string, unknown>)[key])
  return count
}

function searchRepeatedKey(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let last = ''
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at)
    if (character === QUOTE) {
      const end = closingQuote(json, at)
      last = json.slice(at, end + 1)
      at = end
    } else if (character === COLON) {
      const key = JSON.parse(last) as string
      if (open.at(-1)?.has(key)) return key
      open.at(-1)?.add(key)
    } else if (character === OPEN_OBJECT) open.push(new Set())
    else if (character === OPEN_LIST) open.push(undefined)
    else if (character === CLOSE_OBJECT || character === CLOSE_LIST) open.pop()
  }
  return undefined
}

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]

function closingQuote(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); ; at = json.indexOf('"', at + 1)) {
    let before = at
    while (json.charCodeAt(before - 1) === BACKSLASH) before--
    if ((at - before) % 2 === 0 || at < 0) return at < 0 ? json.length : at
  }
}
