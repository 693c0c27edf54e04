import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { announceGateway, reloadGateways } from './gateway-files.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pml-gateways-'))
})
afterEach(() => rm(folder, { recursive: true }))

const file = { pid: 4242, workspace: '/work', startedAt: '2026-01-01T00:00:00.000Z' }
const reload = (signal: AbortSignal, replyMs: number) =>
  reloadGateways(folder, { workspace: '/work', kill: () => true, signal, replyMs })

it('has a gateway reload and reports what it replied', async () => {
  const stop = await announceGateway(folder, file, async () => 3)
  expect(await reload(new AbortController().signal, 60_000)).toEqual([{ pid: 4242, reloaded: 3 }])
  await stop()
})

it('gives up on a gateway that does not reply, though garbage is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  await writeFile(join(folder, '4242.json'), JSON.stringify(file))
  const collecting = setInterval(collectGarbage, 200)
  try {
    expect(await reload(new AbortController().signal, 1000)).toEqual([{ pid: 4242, reloaded: undefined }])
  } finally {
    clearInterval(collecting)
  }
})

it('gives up when the caller leaves, before or while it waits', async () => {
  await writeFile(join(folder, '4242.json'), JSON.stringify(file))
  expect(await reload(AbortSignal.abort(), 60_000)).toEqual([{ pid: 4242, reloaded: undefined }])
  const leaving = new AbortController()
  const reloading = reload(leaving.signal, 60_000)
  const isAsked = async () => (await readdir(folder)).some((name) => name.endsWith('.reload'))
  await expect.poll(isAsked, { timeout: 10_000 }).toBe(true)
  leaving.abort()
  expect(await reloading).toEqual([{ pid: 4242, reloaded: undefined }])
})
