import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { parsePathGlobs, plainPath } from '@pml/core/path-glob'
import { PACKAGE_FOLDER, VERSION } from './package-name.ts'

const readJson = async (path: string) =>
  JSON.parse(await readFile(new URL(`../../../../${path}`, import.meta.url), 'utf8'))

it('is what package.json says, in a scope', async () => {
  const { name, version, bin } = await readJson('packages/pml/package.json')
  expect(['node_modules', ...name.split('/')]).toEqual(PACKAGE_FOLDER)
  expect([version, bin]).toEqual([VERSION, { pml: 'bin/pml.js' }])
  expect(name).toMatch(/^@[\w-]+\/pml$/)
})

it('names a folder that the built-in rules protect, with the folder of its scope', async () => {
  const { rules } = await readJson('config/enforcement.json')
  const { types } = await readJson('config/approvals.json')
  const folder = `/project/${PACKAGE_FOLDER.join('/')}`
  const guard = rules.find(({ id }: { id: string }) => id === 'GUARD_CHANGED')
  const isGuarded = parsePathGlobs(guard.paths)
  const isSecurity = parsePathGlobs(types.security.paths)
  expect([dirname(folder), folder, `${folder}/bin/pml.js`].map((path) => isGuarded(plainPath(path)))).toEqual(
    [true, true, true],
  )
  expect(isSecurity(plainPath(`${folder}/bin/pml.js`))).toBe(true)
})
