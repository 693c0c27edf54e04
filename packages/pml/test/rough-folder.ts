import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kill } from '../src/machine/owned-process.ts'

export const roughServer = fileURLToPath(new URL('rough-server.mjs', import.meta.url))

export const kill: Kill = (pid, signal) => process.kill(pid, signal)

/** The folder in which a rough server runs and writes its notes. */
export interface RoughFolder {
  readonly path: string
  read(name: string): Promise<string>
  /** The processes that the server noted, and those still alive. */
  pids(): Promise<number[]>
  alive(): Promise<number[]>
  remove(): Promise<void>
}

export async function makeRoughFolder(): Promise<RoughFolder> {
  const path = await mkdtemp(join(tmpdir(), 'rough-'))
  const read = (name: string) => readFile(join(path, name), 'utf8').catch(() => '')
  const pids = async () => (await read('pids')).trim().split(' ').map(Number)
  return {
    path,
    read,
    pids,
    alive: async () => {
      const all = await pids()
      const states = await Promise.all(all.map(isAlive))
      return all.filter((_, index) => states[index])
    },
    remove: () => rm(path, { recursive: true, force: true }),
  }
}

/** A zombie counts as gone: it is only waiting to be reaped, which never happens in containers without an init process. */
export async function isAlive(pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    return text !== '' && !text.slice(text.lastIndexOf(')')).startsWith(') Z')
  }
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
