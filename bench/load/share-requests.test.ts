import { expect, test } from 'vitest'
import { shareRequests } from './share-requests.ts'

const requests = (count: number) => Array.from({ length: count }, (_, index) => ({ path: `/${index}` }))

test('every request belongs to one connection', () => {
  const shares = shareRequests(requests(100), 32)
  expect(shares).toHaveLength(32)
  expect(shares.flat().toSorted((a, b) => a.path.localeCompare(b.path))).toEqual(
    requests(100).toSorted((a, b) => a.path.localeCompare(b.path)),
  )
})

test('too few requests are sent by every connection', () => {
  expect(shareRequests(requests(1), 3)).toEqual([requests(1), requests(1), requests(1)])
})
