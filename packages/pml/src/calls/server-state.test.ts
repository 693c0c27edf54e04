import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openCatalog } from '../../test/catalog.ts'
import { startConfigured, type ConfiguredRegistry } from '../../test/configured-registry.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'

const INSTALL_MS = 300_000
const plainMemory = {
  description: 'Without a word about its data',
  command: 'npx',
  args: ['-y', '@modelcontextprotocol/server-memory'],
}

let registry: ConfiguredRegistry
let cacheDir: string
let one: TestWorkspace
let two: TestWorkspace

beforeAll(async () => {
  cacheDir = await realpath(await mkdtemp(join(tmpdir(), 'pml-trees-')))
  registry = await startConfigured('memory')
})
afterAll(async () => {
  await registry.stop()
  await rm(cacheDir, { recursive: true })
})
beforeEach(async () => {
  ;[one, two] = await Promise.all([makeWorkspace(registry.url), makeWorkspace(registry.url)])
  for (const { env } of [one, two]) env['PML_CACHE_DIR'] = cacheDir
})
afterEach(async () => {
  await one.remove()
  await two.remove()
})

const entityOf = (name: string) => JSON.stringify({ entities: [{ name, entityType: 'x', observations: [] }] })
const remember = (workspace: TestWorkspace, name: string) =>
  workspace.run(['run', 'memory:create_entities', '--input', entityOf(name)])
const recall = async (workspace: TestWorkspace) =>
  (await workspace.run(['run', 'memory:read_graph', '--json'])).stdout
const dataOf = ({ root }: TestWorkspace) => join(root, '.pml', 'state', 'memory')
const add = (workspace: TestWorkspace) => workspace.run(['add', 'memory'], { timeoutMs: INSTALL_MS })

async function treeOf(): Promise<string> {
  const [tree = ''] = await readdir(join(cacheDir, 'trees'))
  return join(cacheDir, 'trees', tree)
}

describe('the data of a server', () => {
  it(
    'is of one workspace, ignored by git, and outlives the cache',
    async () => {
      for (const workspace of [one, two]) {
        expect((await workspace.run(['init'])).exit).toBe(0)
        expect(await add(workspace)).toMatchObject({ exit: 0 })
      }
      expect((await remember(one, 'only-in-one')).exit).toBe(0)
      expect(await recall(one)).toContain('only-in-one')
      expect(await recall(two)).not.toContain('only-in-one')
      expect(await readFile(join(dataOf(one), 'memory.jsonl'), 'utf8')).toContain('only-in-one')
      expect((await stat(dataOf(one))).mode & 0o777).toBe(0o700)
      const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: one.root })
      await git('init', '--quiet')
      expect((await git('status', '--porcelain', '-uall')).stdout).not.toContain('state')
      const clean = await one.run(['cache', 'clean', '--json'])
      expect(JSON.parse(clean.stdout)).toMatchObject({ kept: [] })
      expect(await recall(one)).toContain('only-in-one')
    },
    INSTALL_MS,
  )

  it('is not written through a link that a repository brings along', async () => {
    await one.run(['init'])
    await add(one)
    const victim = join(one.root, '..', 'victim')
    await mkdir(victim)
    await mkdir(join(one.root, '.pml', 'state'), { recursive: true })
    await rm(dataOf(one), { recursive: true, force: true })
    await symlink(victim, dataOf(one))
    expect(await remember(one, 'x')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('symbolic link'),
    })
    await rm(dataOf(one))
    await mkdir(dataOf(one))
    await symlink(join(victim, 'file'), join(dataOf(one), 'memory.jsonl'))
    expect(await remember(one, 'x')).toMatchObject({ exit: 1, stderr: expect.stringContaining('plain file') })
    expect(await readdir(victim)).toEqual([])
  })

  it('is not written through links inside of the folder, while those that stay in it are fine', async () => {
    await (
      await openCatalog(registry)
    ).document('pml.mcp.foldered.server', {
      type: 'stdio',
      description: 'A command',
      install: { command: 'node', args: ['server.mjs'], envRequired: [], state: { env: 'DATA_DIR' } },
      tools: ['foldered:echo'],
    })
    await one.writeConfig({ permissions: { allow: ['*'] } })
    const pml = await one.open()
    const folder = join(one.root, '.pml', 'state', 'foldered')
    await mkdir(join(folder, 'deep'), { recursive: true })
    await symlink('deep/data.db', join(folder, 'current'))
    expect(await pml.call('foldered:echo')).toMatchObject({ approvalType: 'dependency' })
    for (const target of [join(one.root, 'victim'), '../../../../victim', 'x/../../../victim', '..']) {
      const link = join(folder, 'deep', 'link')
      await symlink(target, link)
      await expect(pml.call('foldered:echo')).rejects.toMatchObject({
        code: 'tool_failed',
        message: `Cannot let a server write to ${folder}: deep/link is a symbolic link that leads out of it; remove it`,
      })
      await rm(link)
    }
  })

  it('goes to the folder in an option, which is shown before the first run', async () => {
    const catalog = await openCatalog(registry)
    for (const [server, argument] of [
      ['spaced', '--data'],
      ['tied', '--data='],
    ] as const)
      await catalog.document(`pml.mcp.${server}.server`, {
        type: 'stdio',
        description: 'A command',
        install: { command: 'node', args: ['server.mjs'], envRequired: [], state: { argument } },
        tools: [`${server}:echo`],
      })
    await one.writeConfig({ permissions: { allow: ['*'] } })
    const pml = await one.open()
    const folder = (server: string) => join(one.root, '.pml', 'state', server)
    expect(await pml.call('spaced:echo')).toMatchObject({
      commandLine: `node server.mjs --data ${folder('spaced')}`,
    })
    expect(await pml.call('tied:echo')).toMatchObject({
      commandLine: `node server.mjs --data=${folder('tied')}`,
    })
  })

  it('is part of the lock: an older entry needs approval once', async () => {
    await registry.writeServer('memory', plainMemory)
    await one.run(['init'])
    expect((await add(one)).exit).toBe(0)
    await registry.reset('memory')
    const { exit, stdout } = await one.run(['run', 'memory:read_graph', '--json'])
    expect(exit).toBe(3)
    const { workflowId, diff } = JSON.parse(stdout) as { workflowId: string; diff: string }
    expect(diff).toContain('MEMORY_FILE_PATH')
    expect((await one.run(['continue', workflowId, '--approve'])).exit).toBe(0)
    expect((await remember(one, 'after')).exit).toBe(0)
    expect(await readdir(dataOf(one))).toEqual(['memory.jsonl'])
  })
})

describe('an installed tree', () => {
  it(
    'cannot be written by the server that runs in it',
    async () => {
      await registry.writeServer('memory', plainMemory)
      const home = join(one.root, '..', 'home')
      await mkdir(home)
      one.env['PML_CACHE_DIR'] = one.cacheDir
      one.env['HOME'] = home
      const added = await one.runAsUser(['add', 'memory'], { timeoutMs: INSTALL_MS })
      expect(added).toMatchObject({ exit: 0 })
      const { exit, stderr } = await one.runAsUser([
        'run',
        'memory:create_entities',
        '--input',
        entityOf('in-the-tree'),
      ])
      expect([exit, stderr]).toEqual([1, expect.stringContaining('EACCES')])
      expect((await one.runAsUser(['cache', 'clean', '--json'])).stdout).toContain('"kept":[]')
      expect(await readdir(join(one.cacheDir, 'trees'))).toEqual([])
      await registry.reset('memory')
    },
    INSTALL_MS,
  )

  it(
    'gives back what a server wrote into it before it is removed, and says so',
    async () => {
      await one.run(['init'])
      await add(one)
      const written = join(await treeOf(), 'node_modules', '@modelcontextprotocol', 'server-memory', 'dist')
      await writeFile(join(written, 'memory.jsonl'), 'what was remembered\n')
      const { stdout, stderr, exit } = await one.run(['cache', 'clean', '--json'])
      const { kept } = JSON.parse(stdout) as { kept: string[] }
      expect([exit, kept.length]).toEqual([0, 1])
      const [file = ''] = kept
      expect(file).toMatch(/state\/pml\/kept\/.*memory\.jsonl$/)
      expect(await readFile(file, 'utf8')).toBe('what was remembered\n')
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      expect(stderr).toContain(`Kept ${file}`)
      expect(await readdir(join(cacheDir, 'trees'))).toEqual([])
    },
    INSTALL_MS,
  )
})
