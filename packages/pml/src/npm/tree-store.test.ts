import { chmod, cp, mkdtemp, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { integrityOf, type JsonObject } from '@pml/core'
import { kill } from '../../test/rough-folder.ts'
import { lockedTree, smallBin, smallLock } from '../../test/small-tree.ts'
import { findNpm } from './run-npm.ts'
import { installTree } from './install-tree.ts'
import { findTree, verifyTree, type InstalledTree } from './tree-store.ts'

type LockedTree = Parameters<typeof installTree>[1]

const index = 'node_modules/isexe/index.js'
let once: string
let folder: string
let wanted: LockedTree
let tree: InstalledTree

beforeAll(async () => {
  once = await mkdtemp(join(tmpdir(), 'tree-once-'))
  wanted = lockedTree((await smallLock()) as unknown as JsonObject, smallBin)
  const options = { npm: await findNpm(process), signal: new AbortController().signal, timeoutMs: 60_000 }
  await installTree({ folder: once }, wanted, { ...options, kill, tell: () => {} })
})

afterAll(() => rm(once, { recursive: true, force: true }))

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tree-store-'))
  await cp(once, folder, { recursive: true })
  const found = await findTree({ folder }, wanted)
  if (found !== undefined) tree = found
})

afterEach(() => rm(folder, { recursive: true, force: true }))

test('a tree is valid as long as nothing in it changes, wherever it is', async () => {
  await expect(verifyTree(tree)).resolves.toBeUndefined()
  const elsewhere = join(folder, 'elsewhere')
  await rename(tree.folder, elsewhere)
  await expect(verifyTree({ ...tree, folder: elsewhere })).resolves.toBeUndefined()
})

test('one changed byte is refused by the name of its file and both hashes, whatever its times and size say', async () => {
  const file = join(tree.folder, index)
  const bytes = await readFile(file)
  const expected = integrityOf(bytes)
  const { atime, mtime } = await stat(file)
  bytes[10] = (bytes[10] ?? 0) ^ 1
  await writeFile(file, bytes)
  await utimes(file, atime, mtime)
  await expect(verifyTree(tree)).rejects.toMatchObject({
    code: 'integrity_mismatch',
    exitCode: 4,
    message: `Cannot use ${file}: expected ${expected}, got ${integrityOf(bytes)}; it was changed after it was installed, run "pml cache clean" to install it again`,
    detail: { file: index, expected, found: integrityOf(bytes) },
  })
})

test.each<[string, string, (file: string) => Promise<void>]>([
  ['a new file', 'node_modules/isexe/index.json', (file) => writeFile(file, '{}')],
  ['new data that can be run', 'node_modules/isexe/a.db', (file) => writeFile(file, '', { mode: 0o755 })],
  ['a new package', 'node_modules/evil.js', (file) => writeFile(file, '')],
  ['a missing file', index, (file) => rm(file)],
  ['another mode', index, (file) => chmod(file, 0o755)],
  ['another manifest', 'package.json', (file) => writeFile(file, '{"type":"commonjs"}')],
  ['a link inside', 'node_modules/link.js', (file) => symlink('isexe/index.js', file)],
  ['a link that leads out', 'node_modules/link.js', (file) => symlink('../../../x', file)],
  ['a link to anywhere', 'node_modules/link.js', (file) => symlink('/etc/passwd', file)],
])('%s is refused', async (_, file, change) => {
  await change(join(tree.folder, file))
  await expect(verifyTree(tree)).rejects.toMatchObject({ code: 'integrity_mismatch', detail: { file } })
})

test('data that a server leaves in its own package is no change of it', async () => {
  await writeFile(join(tree.folder, 'node_modules/isexe/memory.jsonl'), '{}\n')
  await expect(verifyTree(tree)).resolves.toBeUndefined()
})

test('a changed record is refused, and so is one for other files', async () => {
  const record = join(tree.folder, 'tree.json')
  const text = await readFile(record, 'utf8')
  await writeFile(record, text.replace(/"sha256-\w{4}/, '"sha256-0000'))
  await expect(verifyTree(tree)).rejects.toMatchObject({ detail: { file: 'tree.json' } })
  await expect(findTree({ folder }, wanted)).rejects.toMatchObject({ code: 'integrity_mismatch' })
  await writeFile(record, 'not JSON')
  await expect(findTree({ folder }, wanted)).rejects.toMatchObject({ code: 'integrity_mismatch' })
  await rm(record)
  await expect(verifyTree(tree)).rejects.toMatchObject({ detail: { file: 'tree.json', found: 'nothing' } })
})

test('only a file of the tree can be started', async () => {
  for (const bin of ['node_modules/which/nothing.js', '../../../../bin/sh'])
    await expect(findTree({ folder }, { ...wanted, bin })).rejects.toMatchObject({ code: 'invalid_config' })
})
