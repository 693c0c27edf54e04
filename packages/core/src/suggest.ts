/** Returns the nearest known word within two edits, where a swap counts as one. */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.min(3, Math.ceil(word.length / 2) + 1)
  for (const candidate of known) {
    const edits = editsBetween(word, candidate, least)
    if (edits < least) [best, least] = [candidate, edits]
  }
  return best
}

/** Optimal string alignment; stops early after `most` edits. */
function editsBetween(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) >= most) return most
  let [before, last]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      const cost = Math.min(
        (last?.[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last?.[j - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row.push(isSwap ? Math.min(cost, (before?.[j - 2] ?? 0) + 1) : cost)
    }
    if (Math.min(...row) >= most) return most
    ;[before, last] = [last, row]
  }
  return last?.[to.length] ?? most
}
