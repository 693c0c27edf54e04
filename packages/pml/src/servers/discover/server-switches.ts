import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PmlError } from '@pml/core'
import { fileError } from '../../machine/files/file-error.ts'
import { readPlainFile } from '../../machine/files/read-plain-file.ts'
import { writeAtomically } from '../../machine/files/write-atomically.ts'
import { holdLock } from '../../machine/hold-lock.ts'
import { stateHomeOf, type Ops } from '../../machine/ops.ts'

/** Servers that a person has enabled or disabled. This overrides their files. */
export interface ServerSwitches {
  /** By name; only servers that were enabled or disabled. */
  read(): Promise<ReadonlyMap<string, boolean>>
  /** Safe for several processes at once. */
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

/** Throws for anything that pml did not write: starting over would enable what a person disabled. */
function parseSwitches(text: string, file: string): Map<string, boolean> {
  try {
    const { version, servers } = JSON.parse(text) as { version: unknown; servers: object }
    const switches = Object.entries(servers).map(([name, server]) => [name, server?.enabled] as const)
    const isWhole = switches.every(([, enabled]) => typeof enabled === 'boolean')
    if (version === 1 && !Array.isArray(servers) && isWhole) return new Map(switches)
  } catch {
    // Reported below.
  }
  const fix = 'fix it, or remove it and disable the servers again'
  throw new PmlError('invalid_config', `Cannot read ${file}: expected what pml wrote, version 1; ${fix}`)
}
