import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PmlError } from '@pml/core'

interface Holder {
  readonly pid: number
  /** The start time of the process in clock ticks, to detect a reused pid; null if unknown. */
  readonly started: string | null
}

/** Locks the data directory for this process and returns the unlock function. Ignores locks of dead processes. */
export async function holdDataDirectory(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true })
  const path = join(dataDir, 'server.lock')
  const own = join(dataDir, `server.lock.${process.pid}.${randomBytes(4).toString('hex')}`)
  await writeFile(own, `${JSON.stringify({ pid: process.pid, started: startOf(process.pid) })}\n`, {
    mode: 0o600,
  })
  try {
    while (!(await tryLink(own, path))) await removeIfStale(path, dataDir)
  } finally {
    await rm(own, { force: true })
  }
  return () => rm(path, { force: true })
}

/** Creates the lock file atomically; returns false if it exists. */
async function tryLink(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** Removes a stale lock. Moves it aside and checks it again, because another start may have replaced it meanwhile. */
async function removeIfStale(path: string, dataDir: string): Promise<void> {
  const holder = await readHolder(path)
  if (holder && isAlive(holder)) throw held(holder, dataDir)
  const aside = `${path}.${randomBytes(4).toString('hex')}`
  try {
    await rename(path, aside)
  } catch {
    return
  }
  const moved = await readHolder(aside)
  if (moved && isAlive(moved)) await tryLink(aside, path)
  await rm(aside, { force: true })
}

function held({ pid }: Holder, dataDir: string): PmlError {
  return new PmlError(
    'unavailable',
    `Cannot use ${dataDir}: process ${pid} holds it; stop that one or set PML_DATA_DIR`,
  )
}

async function readHolder(path: string): Promise<Holder | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  return started === startOf(pid)
}

/** Reads field 22 of /proc/<pid>/stat. Counts from the last `)`, because the command name may contain spaces. */
function startOf(pid: number): string | null {
  if (process.platform !== 'linux') return null
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
