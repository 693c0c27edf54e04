import { afterAll, beforeAll, expect, it } from 'vitest'
import { EVASIONS } from './corpus/index.ts'
import { makeRange, type Range } from './run-evasion.ts'

/** `npm run guard` runs all of them. */
const sample = EVASIONS.filter((_, index) => index % 20 === 0)

let range: Range
beforeAll(() => {
  range = makeRange()
})
afterAll(() => range.remove())

it.each(sample)('$id is detected: $command', { timeout: 60_000 }, async (evasion) => {
  expect(await range.try(evasion)).not.toBe('unseen')
})

it.each([
  ['a test', 'src/add.test.ts', 'cat weak.txt > src/add.test.ts\n'],
  ['settings', '.claude/settings.json', 'echo {} > .claude/settings.json\n'],
])('detects after the call that a script wrote to %s', { timeout: 60_000 }, async (_, target, run) => {
  const fate = await range.try({ id: 'x', group: 'x', command: 'sh run', target, setup: { run } })
  expect(['undone', 'held']).toContain(fate)
})
