import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepWritten } from './keep-written.ts'
import { removeTree, sealTree } from '../machine/files/seal-tree.ts'
import { recordTree } from './tree-store.ts'

const GIBIBYTE = 1024 ** 3

let folder: string
let tree: string
let into: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'pml-kept-')))
  tree = join(folder, 'tree')
  into = join(folder, 'kept')
  await mkdir(join(tree, 'dist'), { recursive: true })
  await writeFile(join(tree, 'dist', 'index.js'), 'installed\n')
  await writeFile(join(tree, 'dist', 'config.json'), '{}\n')
  await recordTree(tree)
})
afterEach(() => removeTree(folder))

describe('what a server wrote into its tree', () => {
  it('is moved out, and installed files are not', async () => {
    await writeFile(join(tree, 'dist', 'config.json'), '{"theirs":true}\n')
    await mkdir(join(tree, 'data'))
    await writeFile(join(tree, 'data', 'new.db'), 'new\n')
    await sealTree(tree)
    expect((await keepWritten(tree, into)).sort()).toEqual([
      join(into, 'data', 'new.db'),
      join(into, 'dist', 'config.json'),
    ])
    expect(await readFile(join(into, 'dist', 'config.json'), 'utf8')).toBe('{"theirs":true}\n')
    expect((await stat(join(into, 'dist', 'config.json'))).mode & 0o777).toBe(0o600)
    expect((await stat(into)).mode & 0o777).toBe(0o700)
  })

  it('is moved out however large it is, without copying new files', async () => {
    await writeFile(join(tree, 'huge.log'), '')
    await truncate(join(tree, 'huge.log'), 64 * GIBIBYTE)
    await truncate(join(tree, 'dist', 'config.json'), 2 * GIBIBYTE + 1)
    expect((await keepWritten(tree, into)).sort()).toEqual([
      join(into, 'dist', 'config.json'),
      join(into, 'huge.log'),
    ])
    const { size, blocks } = await stat(join(into, 'huge.log'))
    expect([size, blocks]).toEqual([64 * GIBIBYTE, 0])
  })

  it('is nothing where the tree was never whole', async () => {
    await rm(join(tree, 'tree.json'))
    await writeFile(join(tree, 'half.js'), 'x')
    expect(await keepWritten(tree, into)).toEqual([])
    expect(await readdir(folder)).toEqual(['tree'])
  })
})
