import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { holdLock } from './hold-lock.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pml-lock-'))
  path = join(folder, 'file')
})
afterEach(() => rm(folder, { recursive: true }))

async function leaveStale(name: string): Promise<void> {
  await writeFile(join(folder, name), 'of the dead')
  const long = Date.now() / 1000 - 60
  await utimes(join(folder, name), long, long)
}

describe('a lock that the dead hold', () => {
  it('is broken once, however many find it: the fresh lock in its place is held by one alone', async () => {
    for (let round = 0; round < 15; round++) {
      await leaveStale('file.held')
      let [inside, most] = [0, 0]
      const work = async () => {
        most = Math.max(most, ++inside)
        await delay(Math.random() * 3)
        inside--
      }
      await Promise.all(Array.from({ length: 12 }, () => holdLock(path, work)))
      expect(most).toBe(1)
      expect(await readdir(folder)).toEqual([])
    }
  })

  it('is broken even if who broke it died too', async () => {
    await leaveStale('file.held')
    await leaveStale('file.held.breaking')
    expect(await holdLock(path, async () => 'done')).toBe('done')
    expect(await readdir(folder)).toEqual([])
  })
})

it('is released after a failure', async () => {
  await expect(holdLock(path, () => Promise.reject(new Error('it broke')))).rejects.toThrow('it broke')
  expect(await readdir(folder)).toEqual([])
})
