import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readFolder } from '../../test/read-folder.ts'
import { entries, startSmallCatalog, type SmallCatalog } from '../../test/small-catalog.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'

let catalog: SmallCatalog
let workspace: TestWorkspace
let releases = 0

beforeAll(async () => {
  catalog = await startSmallCatalog()
})
afterAll(() => catalog.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(catalog.registry.url)
})
afterEach(() => workspace.remove())

const publishAnother = () => catalog.publish(entries.deno, `export default () => ${++releases}\n`)

/** The three ways to freeze. */
const ways: [string, { flags: string[]; env: Record<string, string> }][] = [
  ['--frozen', { flags: ['--frozen'], env: {} }],
  ['CI=true', { flags: [], env: { CI: 'true' } }],
  ['--frozen in CI', { flags: ['--frozen'], env: { CI: 'true' } }],
]

const commands: [string, string[]][] = [
  ['fetch', ['fetch', entries.deno]],
  ['run', ['run', 'text:shout']],
  ['run by name', ['run', entries.deno]],
  ['add', ['add', entries.deno]],
  ['add --ask', ['add', entries.deno, '--ask']],
]

describe.each(ways)('with %s', (_way, { flags, env }) => {
  /** Exit 4, and not a file in the workspace is another one. */
  async function refused(argv: readonly string[]): Promise<string> {
    const before = await readFolder(workspace.root)
    const { exit, stdout } = await workspace.run([...argv, '--json', ...flags], { env })
    expect({ exit, ...JSON.parse(stdout) }).toMatchObject({ exit: 4, error: 'lock_frozen' })
    expect(await readFolder(workspace.root)).toEqual(before)
    return (JSON.parse(stdout) as { message: string }).message
  }

  it.each(commands)('%s of what is not locked is refused', async (_what, argv) => {
    expect(await refused(argv)).toContain('it is not in .pml/mcp.lock')
    await workspace.writeConfig({ permissions: { ask: ['text'] } })
    expect(await refused(argv)).toContain('it is not in .pml/mcp.lock')
  })

  it.each(commands)('%s of what has changed is refused, with both digests', async (_what, argv) => {
    await workspace.run(['fetch', entries.deno])
    await publishAnother()
    const message = await refused(argv)
    expect(new Set(message.match(/sha256-[0-9a-f]{64}/g))).toHaveProperty('size', 2)
  })

  it('another hash than the locked one is refused', async () => {
    await workspace.run(['fetch', entries.deno])
    const fqdn = await publishAnother()
    expect(await refused(['fetch', fqdn])).toContain('.pml/mcp.lock, which is frozen, has sha256-')
  })

  it('what is locked and the same is used', async () => {
    await workspace.run(['fetch', entries.deno])
    const before = await readFolder(workspace.root)
    expect(await workspace.run(['fetch', entries.deno, ...flags], { env })).toMatchObject({ exit: 0 })
    expect(await readFolder(workspace.root)).toEqual(before)
  })

  it('nothing is removed, cleaned, synced in or updated', async () => {
    await workspace.run(['fetch', entries.deno])
    await publishAnother()
    expect(await refused(['remove', entries.deno])).toContain('the lockfile is frozen')
    expect(await refused(['update'])).toContain('which is frozen')
    await workspace.writeConfig({ permissions: { allow: ['memory', 'text'] } })
    expect(await refused(['sync'])).toContain(`${entries.stdio} are allowed but not in .pml/mcp.lock`)
  })

  it('entries that no rule wants stay', async () => {
    await workspace.run(['fetch', entries.deno])
    await workspace.writeConfig({ permissions: { allow: ['memory'] } })
    const before = await readFolder(workspace.root)
    const { exit, stdout } = await workspace.run(['lock', 'show', '--json', ...flags], { env })
    expect(exit).toBe(0)
    expect((JSON.parse(stdout) as { entries: unknown[] }).entries).toHaveLength(1)
    expect(await readFolder(workspace.root)).toEqual(before)
  })
})

describe('without freezing', () => {
  it.each([
    ['CI=true and --no-frozen', ['--no-frozen'], { CI: 'true' }],
    ['CI=false', [], { CI: 'false' }],
    ['nothing', [], {}],
  ])('by %s, a new entry is locked', async (_what, flags, env) => {
    const outcome = await workspace.run(['fetch', entries.deno, ...flags], { env: { ...env } })
    expect(outcome).toMatchObject({ exit: 0 })
    expect(await workspace.readLock()).toContain(entries.deno)
  })

  it('the library freezes as its caller says, else as CI does', async () => {
    workspace.env['CI'] = 'true'
    const frozen = await workspace.open()
    await expect(frozen.fetch(entries.deno)).rejects.toMatchObject({ code: 'lock_frozen' })
    const thawed = await workspace.open({ frozen: false })
    expect(await thawed.fetch(entries.deno)).toMatchObject({ lock: 'added' })
  })

  it('a lockfile of another version or with conflict markers stops everything and stays as it is', async () => {
    await workspace.run(['fetch', entries.deno])
    const lock = (await workspace.readLock()) ?? ''
    for (const broken of [lock.replace('"version": 1', '"version": 2'), `<<<<<<< ours\n${lock}`, '', '{']) {
      await writeFile(join(workspace.root, '.pml', 'mcp.lock'), broken)
      for (const argv of [['fetch', entries.deno], ['run', 'text:shout'], ['list'], ['sync']]) {
        const { exit, stderr } = await workspace.run(argv)
        expect(exit).toBe(4)
        expect(stderr).toContain('mcp.lock')
      }
      expect(await workspace.readLock()).toBe(broken)
    }
  })
})
