/** Pseudo-random numbers in [0, 1), the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let bits = Math.imul(state ^ (state >>> 15), state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Zipf with s = 1: the k-th item has a weight of 1/k. */
export function createZipf<Item>(items: readonly Item[]): (random: () => number) => Item {
  let sum = 0
  const upTo = Float64Array.from(items, (_, index) => (sum += 1 / (index + 1)))
  return (random) => {
    const item = items[firstAbove(upTo, random() * sum)]
    if (item === undefined) throw new Error('Cannot draw from nothing')
    return item
  }
}

function firstAbove(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) > value) high = middle
    else low = middle + 1
  }
  return low
}
