import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PmlError } from '@pml/core'

interface Holder {
  readonly pid: number
  /** When the process started, in the kernel's own count, where it can be known: tells a reused pid apart. */
  readonly started: string | null
}

/** One server process to a data directory. A holder that died without letting go holds nothing. */
export async function holdDataDirectory(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true })
  const path = join(dataDir, 'server.lock')
  const own: Holder = { pid: process.pid, started: startOf(process.pid) }
  while (!(await create(path, own))) {
    const holder = await readHolder(path)
    if (holder && isAlive(holder)) {
      throw new PmlError(
        'unavailable',
        `Cannot use ${dataDir}: process ${holder.pid} holds it; stop that one or set PML_DATA_DIR`,
      )
    }
    await rm(path, { force: true })
  }
  return () => rm(path, { force: true })
}

async function create(path: string, holder: Holder): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(`${JSON.stringify(holder)}\n`)
    await file.close()
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
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

/** Field 22 of /proc/<pid>/stat; the command before it is in parentheses and may hold spaces. */
function startOf(pid: number): string | null {
  if (process.platform !== 'linux') return null
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
