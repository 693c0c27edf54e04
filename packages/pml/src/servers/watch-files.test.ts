import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { watchFiles } from './watch-files.ts'

let folder: string
let stop: () => Promise<void>
let changes = 0
let tell = () => {}

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'pml-watched-')), 'mcp')
  await mkdir(folder)
  stop = await watchFiles([folder], () => {
    changes++
    tell()
  })
})
afterEach(async () => {
  await stop()
  await rm(join(folder, '..'), { recursive: true, force: true })
})

/** Resolves when a change is told after all that `change` did. */
async function toldOf(change: () => Promise<unknown>): Promise<void> {
  await change()
  const before = changes
  await new Promise<void>((done) => (tell = done))
  expect(changes).toBeGreaterThan(before)
}

const put = () => writeFile(join(folder, 'one.json'), String(changes))

it('tells of files in a folder that went and came back', async () => {
  await toldOf(put)
  await toldOf(() => rm(folder, { recursive: true }))
  await toldOf(() => mkdir(folder))
  await toldOf(put)
  await toldOf(put)
})

it('tells of a folder that was a file for a while', async () => {
  await toldOf(() => rm(folder, { recursive: true }))
  await toldOf(() => writeFile(folder, ''))
  await toldOf(() => rm(folder))
  await toldOf(() => mkdir(folder))
  await toldOf(put)
})

it('tells of a link that leads to itself, and of its end', async () => {
  const path = join(folder, 'one.json')
  await toldOf(() => symlink(path, path))
  await toldOf(() => rm(path))
})
