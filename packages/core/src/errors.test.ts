import { expect, it } from 'vitest'
import { errorTable, PmlError } from './errors.ts'

it('takes status and exit code from the table', () => {
  const error = new PmlError('hash_mismatch', 'Hash differs', { currentFqdn: 'a.b.c.d.abcd' })
  expect(error.status).toBe(404)
  expect(error.exitCode).toBe(4)
  expect(JSON.stringify(error)).toBe(
    '{"error":"hash_mismatch","message":"Hash differs","currentFqdn":"a.b.c.d.abcd"}',
  )
})

it('keeps to the exit codes of the contract', () => {
  const exits = new Set(Object.values(errorTable).map(({ exit }) => exit))
  expect([...exits].every((exit) => [1, 2, 3, 4, 5, 6].includes(exit))).toBe(true)
})
