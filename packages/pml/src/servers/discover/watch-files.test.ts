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
  const onChange = () => {
    changes++
    tell()
  }
  stop = await watchFiles([folder], { lookEveryMs: 50, onChange })
})
afterEach(async () => {
  await stop()
  await rm(join(folder, '..'), { recursive: true, force: true })
})

/** Waits until a change is told, after all that `change` did. */
async function toldOf(change: () => Promise<unknown>): Promise<boolean> {
  await change()
  const before = changes
  await new Promise<void>((done) => (tell = done))
  return changes > before
}

const put = () => writeFile(join(folder, 'one.json'), String(changes))

it('tells of files in a folder that went and came back', async () => {
  expect(await toldOf(put)).toBe(true)
  expect(await toldOf(() => rm(folder, { recursive: true }))).toBe(true)
  expect(await toldOf(() => mkdir(folder))).toBe(true)
  expect(await toldOf(put)).toBe(true)
  expect(await toldOf(put)).toBe(true)
})

it('tells of a folder that was a file for a while', async () => {
  expect(await toldOf(() => rm(folder, { recursive: true }))).toBe(true)
  expect(await toldOf(() => writeFile(folder, ''))).toBe(true)
  expect(await toldOf(() => rm(folder))).toBe(true)
  expect(await toldOf(() => mkdir(folder))).toBe(true)
  expect(await toldOf(put)).toBe(true)
})

it('tells of a link that leads to itself, and of its end', async () => {
  const path = join(folder, 'one.json')
  expect(await toldOf(() => symlink(path, path))).toBe(true)
  expect(await toldOf(() => rm(path))).toBe(true)
})
