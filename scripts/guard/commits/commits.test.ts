import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { measureCommits, printMeasured } from './measure-commits.ts'

const repository = fileURLToPath(new URL('../../..', import.meta.url))

it('blocks at most 2 % of the test files in commits of this repository that lose no test', () => {
  // The oldest commits never change.
  const measured = measureCommits(repository, { most: 100, from: 'oldest' })
  const { line, rate } = printMeasured('this repository', measured)
  expect(measured.pairs, line).toBeGreaterThan(0)
  expect(rate, line).toBeLessThanOrEqual(0.02)
})
