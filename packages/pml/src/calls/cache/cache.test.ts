import {
  chmod,
  lstat,
  lutimes,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { integrityOf, type Integrity } from '@pml/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { makeProgram } from '../../../test/programs.ts'
import { openPublisher, saying } from '../../../test/publisher.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import { sealTree } from '../../machine/files/seal-tree.ts'
import { recordTree } from '../../npm/tree-store.ts'
import { openContentCache } from '../../registry/content-cache.ts'
import { createSweeper } from './sweep-cache.ts'

const NAME = 'acme.tools.text.shout'
const code = saying('loud')
const integrity = integrityOf(Buffer.from(code))
const HOUR_MS = 3_600_000
const MEBIBYTE = 1024 * 1024

let registry: TestRegistry
let workspace: TestWorkspace
let told: string[]

beforeAll(async () => {
  registry = await startRegistry()
  await (await openPublisher(registry)).publish(NAME, code)
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  told = []
})
afterEach(() => workspace.remove())

const content = () => join(workspace.cacheDir, 'content')
const trees = () => join(workspace.cacheDir, 'trees')
const tell = (message: string) => void told.push(message)

function pathOf(of: Integrity): string {
  const hex = of.slice('sha256-'.length)
  return join(content(), hex.slice(0, 2), hex)
}

async function age(path: string, hours: number): Promise<void> {
  const then = (Date.now() - hours * HOUR_MS) / 1000
  await utimes(path, then, then)
}

/** A tree as it stands there when it is installed. */
async function makeTree(letter: string, { sizeBytes, hours }: { sizeBytes: number; hours: number }) {
  const folder = join(trees(), letter.repeat(64))
  await mkdir(join(folder, 'node_modules', 'a'), { recursive: true })
  await writeFile(join(folder, 'node_modules', 'a', 'index.js'), Buffer.alloc(sizeBytes))
  await writeFile(join(folder, 'used'), '')
  await age(join(folder, 'used'), hours)
}

describe('cached content', () => {
  it('is kept by its hash, for its owner alone', async () => {
    await (await workspace.open()).fetch(NAME)
    expect(await readFile(pathOf(integrity), 'utf8')).toBe(code)
    expect((await stat(pathOf(integrity))).mode & 0o777).toBe(0o600)
    for (const folder of [workspace.cacheDir, content(), join(pathOf(integrity), '..')])
      expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  it.each([
    ['changed', (path: string) => writeFile(path, saying('evil'))],
    ['cut off', (path: string) => writeFile(path, code.slice(0, 9))],
    ['emptied', (path: string) => writeFile(path, '')],
    [
      'replaced by a folder',
      (path: string) => rm(path).then(() => mkdir(join(path, 'a'), { recursive: true })),
    ],
  ])('is fetched again when it was %s, and that is told', async (_, damage) => {
    const pml = await workspace.open()
    await pml.fetch(NAME)
    await damage(pathOf(integrity))
    expect(await pml.fetch(NAME)).toMatchObject({ lock: 'same', bytes: Buffer.from(code) })
    expect(workspace.told).toEqual([expect.stringMatching(/^Cannot .*; it is fetched again$/)])
    expect(workspace.told[0]).toContain(pathOf(integrity))
    expect(await readFile(pathOf(integrity), 'utf8')).toBe(code)
    await damage(pathOf(integrity))
    expect((await workspace.run(['sync', '--json'])).stdout).toBe('{"fetched":1,"cached":0,"added":[]}\n')
    expect(await readFile(pathOf(integrity), 'utf8')).toBe(code)
  })

  it('is not looked for behind a link, nor written there', async () => {
    const victim = join(workspace.root, 'victim')
    await writeFile(victim, code)
    expect((await workspace.run(['fetch', NAME])).exit).toBe(0)
    await rm(pathOf(integrity))
    await symlink(victim, pathOf(integrity))
    await age(victim, 100)
    const before = await stat(victim)
    const { exit, stderr } = await workspace.run(['fetch', NAME])
    expect([exit, stderr]).toEqual([0, expect.stringContaining('it is a symbolic link')])
    expect((await lstat(pathOf(integrity))).isFile()).toBe(true)
    expect(await stat(victim)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs, size: before.size })
  })

  it('is not put into a folder that is a link', async () => {
    const victim = join(workspace.root, 'victim')
    await mkdir(victim)
    await mkdir(workspace.cacheDir)
    await symlink(victim, content())
    const { exit, stderr } = await workspace.run(['fetch', NAME])
    expect([exit, stderr]).toEqual([1, expect.stringContaining(`${content()}: it is a symbolic link`)])
    await mkdir(join(victim, 'ab'))
    await writeFile(join(victim, 'ab', `ab${'0'.repeat(62)}`), 'mine')
    expect(JSON.parse((await workspace.run(['cache', 'clean', '--json'])).stdout)).toMatchObject({ items: 0 })
    expect(await readdir(victim, { recursive: true })).toHaveLength(2)
  })

  it('is made again when the cache was removed under a running process', async () => {
    const cache = openContentCache({ folder: content(), tell, onPut: () => {} })
    await cache.put(integrity, Buffer.from(code))
    await rm(workspace.cacheDir, { recursive: true })
    await cache.put(integrity, Buffer.from(code))
    expect((await cache.find(integrity))?.toString()).toBe(code)
  })

  it('is complete when several processes write it at once', async () => {
    const program = await makeProgram('cache-writer')
    try {
      const all = Array.from({ length: 6 }, () => program.start([content(), '30']))
      expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0, 0, 0, 0])
    } finally {
      await program.remove()
    }
    const files = (await readdir(content(), { recursive: true })).filter((name) => name.length > 2)
    expect(files).toHaveLength(1)
  })
})

describe('the bound of the cache', () => {
  const folders = () => ({ content: content(), trees: trees(), deno: join(workspace.cacheDir, 'deno') })
  const sweeperOf = (limitBytes: number) =>
    createSweeper(folders(), {
      limitBytes,
      stamp: join(workspace.cacheDir, 'swept'),
      keepIn: join(workspace.root, 'kept'),
      tell,
    })

  async function put(letter: string, hours: number): Promise<string> {
    const bytes = Buffer.alloc(1000, letter)
    const cache = openContentCache({ folder: content(), tell, onPut: () => {} })
    await cache.put(integrityOf(bytes), bytes)
    await age(pathOf(integrityOf(bytes)), hours)
    return pathOf(integrityOf(bytes))
  }
  const isThere = (path: string) =>
    stat(path).then(
      () => true,
      () => false,
    )

  it('removes the least recently used, and a read is a use', async () => {
    const paths = [await put('a', 30), await put('b', 20), await put('c', 10)]
    const cache = openContentCache({ folder: content(), tell, onPut: () => {} })
    await cache.find(integrityOf(Buffer.alloc(1000, 'a')))
    const sweeper = sweeperOf(2000)
    sweeper.onPut(1000)
    await sweeper.finish()
    expect(await Promise.all(paths.map(isThere))).toEqual([true, false, true])
    expect(told).toEqual([])
  })

  it('takes away old trees, but none that may be running, and nothing that is being written', async () => {
    await makeTree('a', { sizeBytes: 5000, hours: 30 })
    await makeTree('b', { sizeBytes: 5000, hours: 0.5 })
    await mkdir(join(trees(), '.installing-abcdef'))
    const writing = `${await put('c', 30)}.0123456789abcdef.tmp`
    await writeFile(writing, 'x')
    const sweeper = sweeperOf(1)
    sweeper.onPut(1)
    await sweeper.finish()
    expect((await readdir(trees())).sort()).toEqual(['.installing-abcdef', 'b'.repeat(64)])
    expect((await readdir(content(), { recursive: true })).filter((name) => name.length > 2)).toEqual([
      expect.stringContaining('.tmp'),
    ])
    await age(writing, 2)
    sweeper.onPut(1)
    await sweeper.finish()
    expect(await isThere(writing)).toBe(false)
  })

  it('is kept by the command, as PML_CACHE_MB says', async () => {
    await makeTree('a', { sizeBytes: 2 * MEBIBYTE, hours: 30 })
    const env = { PML_CACHE_MB: '1' }
    expect((await workspace.run(['fetch', NAME], { env })).exit).toBe(0)
    expect(await readdir(trees())).toEqual([])
    expect(await readFile(pathOf(integrity), 'utf8')).toBe(code)
  })

  it('marks when it looked without following a link', async () => {
    const victim = join(workspace.root, 'victim')
    await mkdir(workspace.cacheDir)
    const stamp = join(workspace.cacheDir, 'swept')
    await symlink(victim, stamp)
    const then = (Date.now() - 2 * HOUR_MS) / 1000
    await lutimes(stamp, then, then)
    expect((await workspace.run(['fetch', NAME])).exit).toBe(0)
    expect(await isThere(victim)).toBe(false)
    expect((await lstat(stamp)).isFile()).toBe(true)
  })
})

describe('pml cache', () => {
  it('dir, size and clean speak of the same place', async () => {
    await workspace.run(['fetch', NAME])
    await makeTree('a', { sizeBytes: 1000, hours: 0 })
    expect((await workspace.run(['cache', 'dir'])).stdout).toBe(`${workspace.cacheDir}\n`)
    expect(JSON.parse((await workspace.run(['cache', 'dir', '--json'])).stdout)).toEqual({
      path: workspace.cacheDir,
    })
    const sizeBytes = code.length + 1000
    const size = await workspace.run(['cache', 'size', '--json'], { env: { PML_CACHE_MB: '7' } })
    expect(JSON.parse(size.stdout)).toEqual({ items: 2, sizeBytes, limitBytes: 7 * MEBIBYTE })
    expect((await workspace.run(['cache', 'size'])).stdout).toContain(String(sizeBytes))
    const clean = await workspace.run(['cache', 'clean', '--json'])
    expect(JSON.parse(clean.stdout)).toEqual({ items: 2, sizeBytes, kept: [] })
    expect((await workspace.run(['cache', 'clean'])).stdout).toContain('0')
    expect((await workspace.run(['fetch', NAME])).exit).toBe(0)
  })

  it('clean keeps what a server wrote into a tree, however it tried to close it', async () => {
    await makeTree('a', { sizeBytes: 1000, hours: 0 })
    const tree = join(trees(), 'a'.repeat(64))
    await recordTree(tree)
    const closed = ['node_modules/a/index.js', 'closed/a.db', 'closed']
    await mkdir(join(tree, 'closed'))
    await writeFile(join(tree, 'closed', 'a.db'), 'a\n')
    for (const path of closed) await chmod(join(tree, path), 0)
    await sealTree(tree)
    const { exit, stdout, stderr } = await workspace.runAsUser(['cache', 'clean', '--json'])
    expect([exit, stderr]).toEqual([0, expect.stringContaining('closed/a.db')])
    const { kept } = JSON.parse(stdout) as { kept: string[] }
    expect(kept.map((path) => path.replace(/.*\/kept\/[^/]*\//, '')).sort()).toEqual([
      'closed/a.db',
      'node_modules/a/index.js',
    ])
    expect(await readdir(trees())).toEqual([])
  })

  it('clean leaves what is not of the cache', async () => {
    const mine = [
      join(content(), 'post.md'),
      join(content(), 'ab', 'notes'),
      join(trees(), 'oak', 'leaf.txt'),
    ]
    for (const path of mine) {
      await mkdir(join(path, '..'), { recursive: true })
      await writeFile(path, 'mine')
    }
    const { stdout } = await workspace.run(['cache', 'clean', '--json'])
    expect(JSON.parse(stdout)).toEqual({ items: 0, sizeBytes: 0, kept: [] })
    for (const path of mine) expect(await readFile(path, 'utf8')).toBe('mine')
  })
})
