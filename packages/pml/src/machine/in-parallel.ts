import pLimit from 'p-limit'

const MOST_AT_ONCE = 32

/** Runs `work` for all items, `most` at a time, with results in their order. After a failure no more are started. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  most = MOST_AT_ONCE,
): Promise<Result[]> {
  const limit = pLimit(most)
  return limit.map(items, async (item) => {
    try {
      return await work(item)
    } catch (error) {
      limit.clearQueue()
      throw error
    }
  })
}
