import { expect, it } from 'vitest'
import { EVASIONS } from './corpus/index.ts'

it('has at least 500 evasions, each with its own id and command', () => {
  expect(EVASIONS.length).toBeGreaterThanOrEqual(500)
  expect(new Set(EVASIONS.map(({ id }) => id)).size).toBe(EVASIONS.length)
  expect(new Set(EVASIONS.map(({ command }) => command)).size).toBe(EVASIONS.length)
})
