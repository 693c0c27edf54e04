import pLimit from 'p-limit'

const MOST_AT_ONCE = 32

/** As many at once as is polite, results in the order of the items. After the first failure nothing more begins. */
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
