import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readFolder } from '../../test/read-folder.ts'
import { entries, startSmallCatalog, type SmallCatalog } from '../../test/small-catalog.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'

const READ = 'acme.tools.files.read_text'

let catalog: SmallCatalog
let workspace: TestWorkspace

beforeAll(async () => {
  catalog = await startSmallCatalog()
  await catalog.publish(READ, 'export default () => "text"\n')
})
afterAll(() => catalog.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(catalog.proxy.url)
})
afterEach(() => workspace.remove())

const rules = (permissions: Record<string, string[]>) => workspace.writeConfig({ permissions })

async function run(...argv: string[]) {
  const { exit, stdout, stderr } = await workspace.run([...argv, '--json'])
  return { exit, stderr, ...(JSON.parse(stdout) as Record<string, unknown>) }
}

/** Exit 5, nothing is written; gives the message. */
async function denied(...argv: string[]): Promise<string> {
  const before = await readFolder(workspace.root)
  const outcome = await run(...argv)
  expect(outcome).toMatchObject({ exit: 5, error: 'tool_denied' })
  expect(await readFolder(workspace.root)).toEqual(before)
  const { message } = outcome as unknown as { message: string }
  expect(message).toContain('a deny rule in .pml.json covers it')
  return message
}

describe('a deny rule', () => {
  it.each(['files:read_text', 'files:*', 'files:read_*', 'files', '*'])(
    '%s keeps a module from being fetched, added and run, whatever allows it',
    async (pattern) => {
      await rules({ deny: [pattern], allow: ['files:read_text', '*'] })
      const before = catalog.proxy.seen.length
      await denied('fetch', READ)
      await denied('add', READ)
      await denied('run', READ)
      expect(catalog.proxy.seen).toHaveLength(before)
      await denied('run', 'files:read_text')
      expect(await readFolder(workspace.cacheDir)).toEqual({})
    },
  )

  it.each(['memory', 'memory:*', '*'])('%s keeps a server from being fetched and called', async (pattern) => {
    await rules({ deny: [pattern], allow: ['memory'] })
    expect(await denied('fetch', 'memory')).toContain('Cannot use memory:*')
    expect(await denied('run', 'memory:read_graph')).toContain('Cannot use memory:read_graph')
  })

  it.each(['memory:read_graph', 'memory:read_*'])('%s is about those tools of a server', async (pattern) => {
    await rules({ deny: [pattern], ask: ['memory'] })
    expect(await run('fetch', 'memory')).toMatchObject({ exit: 0 })
    await denied('run', 'memory:read_graph')
    expect(await run('run', 'memory:search_nodes')).toMatchObject({
      exit: 3,
      approvalType: 'tool_permission',
    })
  })

  it.each(['files:read', 'file:*', 'files:read_text_*', 'text', 'Files'])(
    '%s is not about a tool that only begins alike',
    async (pattern) => {
      await rules({ deny: [pattern], allow: ['files'] })
      expect(await run('fetch', READ)).toMatchObject({ exit: 0 })
    },
  )

  it('that is written after the install counts from then on, offline and frozen too', async () => {
    await rules({ allow: ['files', 'memory'] })
    expect(await run('run', 'files:read_text')).toMatchObject({ exit: 0, result: 'text' })
    expect(await run('fetch', 'memory')).toMatchObject({ exit: 0 })
    await rules({ allow: ['files', 'memory'], deny: ['files:read_text', 'memory'] })
    for (const flags of [[], ['--offline'], ['--frozen']]) {
      await denied('fetch', READ, ...flags)
      await denied('run', 'files:read_text', ...flags)
      await denied('fetch', 'memory', ...flags)
      await denied('run', 'memory:read_graph', ...flags)
    }
    await denied('sync')
  })

  it('counts in a library that is open already', async () => {
    const pml = await workspace.open()
    await pml.fetch(READ)
    await rules({ deny: ['files'] })
    await expect(pml.fetch(READ)).rejects.toMatchObject({ code: 'tool_denied', exitCode: 5 })
    await expect(pml.call('files:read_text')).rejects.toMatchObject({ code: 'tool_denied' })
  })

  it('keeps sync from bringing in what a wider rule allows', async () => {
    await catalog.publish('acme.tools.files.write_text', 'export default () => 0\n')
    await rules({ allow: ['files'], deny: ['files:write_*'] })
    const outcome = await run('sync')
    expect(outcome).toMatchObject({ exit: 0, added: [expect.stringContaining(READ)] })
    expect(await workspace.readLock()).not.toContain('write_text')
  })
})

describe('on load, entries that neither allow nor ask speaks of', () => {
  beforeEach(async () => {
    for (const name of [READ, entries.deno, 'memory']) await run('fetch', name)
  })
  const lockedNames = async () =>
    Object.keys((JSON.parse((await workspace.readLock()) ?? '') as { entries: object }).entries)
      .map((fqdn) => fqdn.split('.').slice(0, 4).join('.'))
      .sort()

  it('are removed, saved and said on stderr', async () => {
    const fqdn = await catalog.currentFqdn(READ)
    await rules({ allow: ['memory:read_graph'], ask: ['text:sh*'] })
    const { stderr, exit } = await run('lock', 'show')
    expect(exit).toBe(0)
    expect(stderr).toContain(`Removed from .pml/mcp.lock`)
    expect(stderr).toContain(`  ${fqdn}\n`)
    expect(await lockedNames()).toEqual([entries.deno, entries.stdio])
    expect(await run('lock', 'show')).toMatchObject({ exit: 0, stderr: '' })
  })

  it('are removed by a fetch of another one, and by the library', async () => {
    await rules({ ask: ['text'] })
    const pml = await workspace.open()
    await pml.fetch(entries.deno)
    expect(workspace.told.join('\n')).toContain('Removed from .pml/mcp.lock')
    expect(await lockedNames()).toEqual([entries.deno])
  })

  it('are all removed by lists that are empty: nothing is wanted then', async () => {
    await rules({ allow: [], ask: [] })
    await run('list')
    expect(await lockedNames()).toEqual([])
  })

  it.each([
    ['.pml.json is missing', undefined],
    ['it has no permissions', {}],
    ['it only denies', { permissions: { deny: ['files'] } }],
    ['its permissions are empty', { permissions: {} }],
  ])('stay where %s', async (_what, config) => {
    if (config) await workspace.writeConfig(config)
    const before = await workspace.readLock()
    expect(await run('lock', 'show')).toMatchObject({ exit: 0, stderr: '' })
    expect(await run('fetch', entries.deno)).toMatchObject({ exit: 0 })
    expect(await workspace.readLock()).toBe(before)
  })

  it('stay in frozen mode', async () => {
    await rules({ allow: ['memory'] })
    const before = await workspace.readLock()
    expect(await run('lock', 'show', '--frozen')).toMatchObject({ exit: 0, stderr: '' })
    expect(await workspace.readLock()).toBe(before)
  })
})

describe('a .pml.json that cannot be understood', () => {
  const commands = [
    ['fetch', READ],
    ['run', 'files:read_text'],
    ['add', READ],
    ['remove', READ],
    ['continue', '00000000-0000-4000-8000-000000000000', '--approve'],
    ['list'],
    ['outdated'],
    ['update'],
    ['sync'],
    ['doctor'],
    ['init'],
    ['lock', 'show'],
    ['lock', 'verify'],
    ['lock', 'clean'],
    ['lock', 'why', READ],
  ]

  it('stops every command with file, line and column, and changes nothing', async () => {
    await run('fetch', READ)
    await writeFile(
      join(workspace.root, '.pml.json'),
      '{\n  "permissions": {\n    "denny": ["files"]\n  }\n}\n',
    )
    const before = await readFolder(workspace.root)
    const requests = catalog.proxy.seen.length
    for (const argv of commands) {
      const outcome = await run(...argv)
      expect(outcome, argv.join(' ')).toMatchObject({ exit: 2, error: 'invalid_config' })
      expect(outcome).toHaveProperty('message', expect.stringMatching(/\.pml\.json:3:5/))
    }
    expect(catalog.proxy.seen).toHaveLength(requests)
    expect(await readFolder(workspace.root)).toEqual(before)
  })

  it.each([
    ['', /\.pml\.json:1:1/],
    ['{', /\.pml\.json:1:\d/],
    ['[]', /\.pml\.json:1:1/],
    ['null', /\.pml\.json:1:1/],
    ['{"permissions": []}', /\.pml\.json:1:17/],
    ['{"permissions": {"deny": "files"}}', /\.pml\.json:1:26/],
    ['{"permissions": {"deny": ["files:re*d"]}}', /\.pml\.json:1:27/],
    ['{"permissions": {"deny": ["files", 1]}}', /\.pml\.json:1:36/],
    ['{"permissions": {"deny": ["files"], "deny": []}}', /\.pml\.json:1:37/],
    ['{"permission": {"deny": ["files"]}}', /\.pml\.json:1:2/],
    ['{"version": 2, "permissions": {"deny": ["files"]}}', /\.pml\.json:1:13/],
    ['{"permissions": {"deny": ["files"]}} x', /\.pml\.json:1:38/],
    ['<<<<<<< ours\n{}', /\.pml\.json:1:1/],
  ])('is never "no rules": %j', async (text, place) => {
    await writeFile(join(workspace.root, '.pml.json'), text)
    const outcome = await run('fetch', READ)
    expect(outcome).toMatchObject({ exit: 2, error: 'invalid_config' })
    expect(outcome).toHaveProperty('message', expect.stringMatching(place))
    expect(await workspace.readLock()).toBeUndefined()
  })
})
