import { randomUUID } from 'node:crypto'
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { PmlError } from '@pml/core'
import { fileError } from './files/file-error.ts'

/** A lock that its holder has not refreshed for this long is stale. */
const STALE_MS = 5000
const BEAT_MS = 1000
const LONGEST_WAIT_MS = 120_000
const LONGEST_PAUSE_MS = 40

/** Throws if the lock was lost, for instance while the machine slept: nothing may be written then. */
type RequireHeld = () => Promise<void>

class HoldLost extends Error {}

/**
 * Runs `work` while no other process does so for the same file. If the lock was lost before anything was written, `work`
 * runs again on the current content. By hand, because no dependency locks files.
 */
export async function holdLock<Result>(
  path: string,
  work: (requireHeld: RequireHeld) => Promise<Result>,
): Promise<Result> {
  const held = `${path}.held`
  for (;;) {
    const word = await take(path, held)
    const isHeld = async () => (await readFile(held, 'utf8').catch(() => '')) === word
    const beat = setInterval(() => void markAlive(held), BEAT_MS).unref()
    try {
      return await work(async () => {
        if (!(await isHeld())) throw new HoldLost()
      })
    } catch (error) {
      if (!(error instanceof HoldLost)) throw error
    } finally {
      clearInterval(beat)
      if (await isHeld()) await rm(held, { force: true }).catch(() => undefined)
    }
  }
}

/** Creates the lock file and returns the random word in it. Only one process can create it. */
async function take(path: string, held: string): Promise<string> {
  const word = randomUUID()
  const deadline = performance.now() + LONGEST_WAIT_MS
  while (!(await tryMake(path, held, word))) {
    if (performance.now() > deadline) throw busy(path)
    if (await isStale(held)) await breakStale(path, held)
    else await delay(LONGEST_PAUSE_MS * (0.1 + 0.9 * Math.random()))
  }
  return word
}

async function tryMake(path: string, file: string, word: string): Promise<boolean> {
  try {
    await writeFile(file, word, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw fileError('write', path, error)
  }
}

/** One process at a time removes a stale lock, and checks again first: a fresh lock must not be removed. */
async function breakStale(path: string, held: string): Promise<void> {
  const breaking = `${held}.breaking`
  if (await tryMake(path, breaking, '')) {
    try {
      if (await isStale(held)) await rm(held, { recursive: true, force: true })
    } catch (error) {
      throw fileError('write', path, error)
    } finally {
      await rm(breaking, { force: true }).catch(() => undefined)
    }
  } else if (await isStale(breaking)) await rm(breaking, { force: true }).catch(() => undefined)
  else await delay(LONGEST_PAUSE_MS)
}

async function isStale(file: string): Promise<boolean> {
  const info = await stat(file).catch(() => undefined)
  return info !== undefined && Date.now() - info.mtimeMs > STALE_MS
}

async function markAlive(held: string): Promise<void> {
  const now = Date.now() / 1000
  await utimes(held, now, now).catch(() => undefined)
}

function busy(path: string): PmlError {
  const fix = `wait for it to end, or remove ${path}.held if there is none`
  return new PmlError('file_failed', `Cannot write ${path}: another pml is writing it; ${fix}`)
}
