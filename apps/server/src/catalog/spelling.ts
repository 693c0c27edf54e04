/** Returns the tolerated typos: one in a word of 4 to 7 letters, two in a longer one, none in a shorter one. */
export function forgivenIn(word: string): 0 | 1 | 2 {
  return word.length < 4 ? 0 : word.length < 8 ? 1 : 2
}

/** Keys use only the beginning of a word: whole words would have hundreds of keys. */
const KEY_LETTERS = 7

/**
 * Returns the beginning of a word, and its variants with up to the tolerated number of letters deleted. A word and its
 * misspelling share a key, which an index can find.
 */
function wordKeys(word: string): string[] {
  const start = word.slice(0, KEY_LETTERS)
  let keys = [start]
  for (let left = forgivenIn(word); left > 0; left--) {
    const shorter = keys.flatMap((key) =>
      Array.from(key, (_letter, at) => key.slice(0, at) + key.slice(at + 1)),
    )
    keys = [...new Set([...keys, ...shorter])]
  }
  return keys
}

/** Joins the keys with spaces, which no key contains. */
export function printWordKeys(word: string): string {
  return wordKeys(word).join(' ')
}

/** Returns the Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours. */
export function distance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1]
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1))
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      if (isSwap) least = Math.min(least, (before[j - 2] ?? 0) + 1)
      next.push(least)
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}
