import { parseLockfile, printLockfile, withoutUnwanted } from '@pml/core'
import { permissionsOf } from '../../packages/core/test/permissions-of.ts'
import { expect, test } from 'vitest'
import { allowRules, lockOf } from './locked-entries.ts'

test('a lockfile of any size is valid', () => {
  const lockfile = lockOf(1000)
  expect(lockfile.entries.size).toBe(1000)
  expect(parseLockfile(printLockfile(lockfile), 'mcp.lock').entries.size).toBe(1000)
})

test('every entry is covered, and every rule is needed', () => {
  const removedBy = (allow: string[]) => withoutUnwanted(lockOf(100), permissionsOf({ allow })).removed
  expect(removedBy(allowRules())).toEqual([])
  expect(removedBy(allowRules().slice(1))).toHaveLength(5)
})
