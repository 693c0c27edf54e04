import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../apps/server/test/registry.ts'
import { openPublisher, saying, type Publisher } from '../../test/publisher.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'

const NAME = 'acme.tools.text.shout'

let registry: TestRegistry
let publisher: Publisher
let workspace: TestWorkspace
let home: string

beforeAll(async () => {
  registry = await startRegistry()
  publisher = await openPublisher(registry)
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  home = join(workspace.root, '..', 'home')
  await mkdir(home)
  await publisher.publish(NAME, saying('loud'))
})
afterEach(() => workspace.remove())

describe('the home of a user', () => {
  it.each([
    ['where XDG_CACHE_HOME says', () => ({ XDG_CACHE_HOME: join(home, 'xdg') }), ['xdg']],
    ['in .cache without it', () => ({ XDG_CACHE_HOME: '' }), ['.cache']],
  ])('gets only the cache and the decision, %s', async (_, cache, expected) => {
    const env = { HOME: home, PML_CACHE_DIR: '', XDG_STATE_HOME: '', ...cache() }
    const run = (argv: string[]) => workspace.run(argv, { env })
    const ok = async (argv: string[], exit = 0) => {
      const outcome = await run(argv)
      expect({ argv, exit: outcome.exit, stderr: outcome.stderr }).toMatchObject({ argv, exit })
      return outcome.stdout
    }
    await ok(['init'])
    await ok(['add', NAME])
    expect(await ok(['run', 'text:shout'])).toBe('loud\n')
    await publisher.publish(NAME, saying('louder'))
    const asked = await ok(['fetch', NAME, '--json'], 3)
    await ok(['continue', (JSON.parse(asked) as { workflowId: string }).workflowId, '--approve'])
    for (const argv of [
      ['fetch', NAME],
      ['list'],
      ['outdated'],
      ['update'],
      ['sync'],
      ['lock', 'show'],
      ['lock', 'verify'],
      ['lock', 'why', NAME],
      ['lock', 'clean'],
      ['cache', 'dir'],
      ['cache', 'size'],
      ['doctor'],
      ['remove', NAME],
      ['cache', 'clean'],
    ])
      await ok(argv)
    await writeFile(join(workspace.root, 'a.ts'), saying('mine'))
    await run(['publish', 'acme.tools.text.mine', 'a.ts'])
    expect((await readdir(home)).sort()).toEqual([...expected, '.local'].sort())
    expect(await readdir(join(home, '.local', 'state', 'pml'))).toEqual(['releases', 'trust', 'witness'])
    expect(await readdir(join(home, expected[0] ?? ''))).toEqual(['pml'])
    expect((await readdir(workspace.root)).sort()).toEqual(['.gitignore', '.pml', '.pml.json', 'a.ts'])
    expect((await readdir(join(workspace.root, '.pml'))).sort()).toEqual([
      'approvals',
      'client-id',
      'mcp.lock',
    ])
  })
})
