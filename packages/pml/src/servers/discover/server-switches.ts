import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PmlError } from '@pml/core'
import { fileError } from '../../machine/files/file-error.ts'
import { readPlainFile } from '../../machine/files/read-plain-file.ts'
import { writeAtomically } from '../../machine/files/write-atomically.ts'
import { holdLock } from '../../machine/hold-lock.ts'
import { stateHomeOf, type Ops } from '../../machine/ops.ts'

/** Which servers a person has switched on or off; it has the last word over what their files say. */
export interface ServerSwitches {
  /** By name; a server that nobody switched is not in it. */
  read(): Promise<ReadonlyMap<string, boolean>>
  /** Any number of processes may do so at once, and nothing is lost. */
  set(name: string, isEnabled: boolean): Promise<void>
}

const LIMIT_BYTES = 1024 * 1024

export function serverSwitchesFileOf({ env, platform }: Pick<Ops, 'env' | 'platform'>): string {
  return join(stateHomeOf(env, platform), 'servers.json')
}

export function openServerSwitches(file: string): ServerSwitches {
  async function read(): Promise<Map<string, boolean>> {
    const found = await readPlainFile(file, LIMIT_BYTES)
    return found ? parseSwitches(found.bytes.toString('utf8'), file) : new Map()
  }
  return {
    read,
    set: async (name, isEnabled) => {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
        throw fileError('write', file, error)
      })
      await holdLock(file, async (requireHeld) => {
        const switches = (await read()).set(name, isEnabled)
        await writeAtomically(file, printSwitches(switches), { mode: 0o600, requireHeld })
      })
    },
  }
}

function printSwitches(switches: ReadonlyMap<string, boolean>): string {
  const sorted = [...switches].sort(([a], [b]) => (a < b ? -1 : 1))
  const servers = Object.fromEntries(sorted.map(([name, enabled]) => [name, { enabled }]))
  return `${JSON.stringify({ version: 1, servers }, null, 2)}\n`
}

/** Throws for whatever this program did not write: to begin anew would switch on what a person switched off. */
function parseSwitches(text: string, file: string): Map<string, boolean> {
  try {
    const { version, servers } = JSON.parse(text) as { version: unknown; servers: object }
    const switches = Object.entries(servers).map(([name, server]) => [name, server?.enabled] as const)
    const isWhole = switches.every(([, enabled]) => typeof enabled === 'boolean')
    if (version === 1 && !Array.isArray(servers) && isWhole) return new Map(switches)
  } catch {
    // It is told below.
  }
  const fix = 'mend it, or remove it and disable again what is to be off'
  throw new PmlError('invalid_config', `Cannot read ${file}: expected what pml wrote, version 1; ${fix}`)
}
