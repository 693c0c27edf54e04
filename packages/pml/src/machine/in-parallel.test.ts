import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inParallel } from './in-parallel.ts'

it('gives results in the order of the items, whichever is done first', async () => {
  const waits = [20, 0, 10]
  expect(await inParallel(waits, (ms) => setTimeout(ms, ms))).toEqual(waits)
  expect(await inParallel([], () => expect.unreachable())).toEqual([])
})

it('works on no more items at once than it may', async () => {
  let [running, most] = [0, 0]
  const work = async () => {
    most = Math.max(most, ++running)
    await setImmediate()
    running--
  }
  await inParallel(Array.from({ length: 10 }), work, 3)
  expect(most).toBe(3)
  await inParallel(Array.from({ length: 100 }), work)
  expect(most).toBe(32)
})

it('begins nothing more after the first failure', async () => {
  const begun: number[] = []
  const work = async (item: number) => {
    begun.push(item)
    await setTimeout(item === 0 ? 0 : 10)
    if (item === 0) throw new Error('unreachable registry')
  }
  await expect(inParallel([0, 1, 2, 3, 4, 5, 6, 7], work, 2)).rejects.toThrow('unreachable registry')
  await setTimeout(50)
  expect(begun).toEqual([0, 1])
})
