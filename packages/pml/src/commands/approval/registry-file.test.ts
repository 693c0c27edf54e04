import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, block, callerWith, type Caller } from '../../../../../apps/server/test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'

let registry: TestRegistry
let workspace: TestWorkspace
let folder: string
let hook: Caller
let guard: Caller

beforeAll(async () => {
  registry = await startRegistry()
  workspace = await makeWorkspace(registry.url)
  folder = await mkdtemp(join(tmpdir(), 'pml-file-'))
  hook = await callerWith(registry, ['hook'])
  guard = await callerWith(registry, ['approve'], 'guard')
})
afterAll(async () => {
  await workspace.remove()
  await registry.stop()
  await rm(folder, { recursive: true })
})

const pml = (key: string, ...argv: string[]) => {
  workspace.env['PML_API_KEY'] = key
  return workspace.run([...argv, '--json'])
}

describe('pml approval export', () => {
  it('writes the file for its owner only, and keeps the last ten versions', async () => {
    const file = join(folder, 'traced-registry.json')
    for (let version = 0; version < 13; version++) {
      const { id } = await block(hook)
      await approve(guard, id)
      expect((await pml(guard.key, 'approval', 'export', file)).exit).toBe(0)
    }
    const names = (await readdir(folder)).toSorted()
    const kept = Array.from({ length: 10 }, (_, index) => `traced-registry.json.${index + 1}`)
    expect(names).toEqual(['traced-registry.json', ...kept].toSorted())
    const count = async (name: string) => {
      const text = await readFile(join(folder, name), 'utf8')
      return Object.keys((JSON.parse(text) as { one_time_approvals: object }).one_time_approvals).length
    }
    expect(await Promise.all(['traced-registry.json', ...kept].map(count))).toEqual([
      13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3,
    ])
    for (const name of names) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  })

  it('changes nothing if the registry refuses', async () => {
    const file = join(folder, 'other.json')
    await writeFile(file, 'mine')
    const { exit } = await pml(hook.key, 'approval', 'export', file)
    expect(exit).toBe(5)
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect((await readdir(folder)).filter((name) => name.startsWith('other'))).toEqual(['other.json'])
  })
})

describe('pml approval import', () => {
  it('imports such a file, and reports the problems of an invalid one', async () => {
    const admin = await callerWith(registry, ['admin'])
    const file = join(folder, 'seed.json')
    const pattern = { type: 'test', reason: 'known', added_by: 'guard', added_date: '2025-01-04' }
    const patterns = { known: { ...pattern, pattern: '^known\\(\\)$' }, wide: { ...pattern, pattern: '.' } }
    await writeFile(file, JSON.stringify({ version: '1.0', permanent_patterns: patterns }))
    const { exit, stdout } = await pml(admin.key, 'approval', 'import', file)
    expect({ exit, ...(JSON.parse(stdout) as object) }).toMatchObject({
      exit: 0,
      patterns: { imported: 1, refused: [{ id: 'wide' }] },
    })
    await writeFile(file, '{"version":"9"}')
    expect(await pml(admin.key, 'approval', 'import', file)).toMatchObject({
      exit: 2,
      stdout: expect.stringContaining('expected version 1.0'),
    })
    expect((await pml(admin.key, 'approval', 'import', join(folder, 'none.json'))).exit).not.toBe(0)
  })
})
