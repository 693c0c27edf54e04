import { mkdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Longer than any hook runs. */
const STALE_MS = 30_000
const PAUSE_MS = 5
/** Folders that this process has locked. */
const taken = new Set<string>()

/**
 * Runs `work` while no other process has locked the folder. Waits synchronously: a hook has nothing else to do, and loading
 * timers takes longer than a survey. By hand, because `holdLock` loads too much for a hook.
 */
export async function takeTurns<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  if (taken.has(folder)) return work()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const turn = join(folder, 'turn')
  while (!tryTake(turn)) {
    const since = statSync(turn, { throwIfNoEntry: false })?.mtimeMs
    if (since !== undefined && Math.abs(Date.now() - since) > STALE_MS) remove(turn)
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
  }
  taken.add(folder)
  try {
    return await work()
  } finally {
    taken.delete(folder)
    remove(turn)
  }
}

function remove(turn: string): void {
  try {
    unlinkSync(turn)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function tryTake(turn: string): boolean {
  try {
    writeFileSync(turn, '', { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
