/**
 * The first key that an object has twice, of which JSON.parse keeps the last: a rule must not vanish that way. The text is
 * JSON already.
 */
export function findRepeatedKey(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let last = ''
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at)
    if (character === QUOTE) {
      const end = closingQuote(json, at)
      last = json.slice(at, end + 1)
      at = end
    } else if (character === COLON) {
      const keys = open.at(-1)
      if (keys?.has(last)) return JSON.parse(last) as string
      keys?.add(last)
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
