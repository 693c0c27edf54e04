/** The first key that an object has twice, of which JSON.parse keeps the last: a rule must not vanish that way. */
export function findRepeatedKey(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let last: string | undefined
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]/g)) {
    const keys = open.at(-1)
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':' && keys && last !== undefined) {
      if (keys.has(last)) return last
      keys.add(last)
    } else if (token.startsWith('"')) last = JSON.parse(token) as string
  }
  return undefined
}
