import { expect, test } from 'vitest'
import { alternate, timed } from './alternate.ts'

test('the sides take turns in being first, and warm-up results are dropped', async () => {
  const order: string[] = []
  const side = (name: string, ms: number) => async () => {
    order.push(name)
    return order.length <= 4 ? 1000 : ms
  }
  const times = await alternate({ ours: side('ours', 3), peer: side('peer', 2) }, { warmUps: 2, rounds: 2 })
  expect(order).toEqual(['ours', 'peer', 'peer', 'ours', 'ours', 'peer', 'peer', 'ours'])
  expect(times).toEqual({ ours: [3, 3], peer: [2, 2] })
})

test('a failure of either side ends the measurement', async () => {
  const fail = async () => {
    throw new Error('the peer is gone')
  }
  const both = alternate({ ours: async () => 1, peer: fail }, { warmUps: 0, rounds: 1 })
  await expect(both).rejects.toThrow('the peer is gone')
})

test('asynchronous work is timed to its end', async () => {
  const ms = await timed(() => new Promise((done) => setTimeout(done, 30)))
  expect(ms).toBeGreaterThanOrEqual(29)
})
