import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import {
  findIntegrity,
  findReference,
  hashMatches,
  type Integrity,
  type LockedEntry,
  type Name,
} from '@pml/core'
import { readPlainFile } from '../machine/files/read-plain-file.ts'
import { writeAtomically } from '../machine/files/write-atomically.ts'
import { holdLock } from '../machine/hold-lock.ts'
import { stateHomeOf, type Ops } from '../machine/ops.ts'
import { requireFolder, type WorkspaceFiles } from '../workspace/workspace-files.ts'

/** A person's decisions about the releases of one name. */
interface NameHistory {
  /** Declined releases, the latest first. The locked release is used instead of them. */
  readonly declined: readonly Integrity[]
  /** Earlier lock entries, the latest first. */
  readonly earlier: readonly LockedEntry[]
}

/** The history of one workspace, in the person's state folder, so that no repository can bring one. */
export interface ReleaseHistory {
  find(name: Name): Promise<NameHistory>
  change(name: Name, make: (found: NameHistory) => NameHistory): Promise<void>
}

const LIMIT_BYTES = 16 * 1024 * 1024
/** The most entries of each list. */
const MOST_KEPT = 10
const none: NameHistory = { declined: [], earlier: [] }

export function historyPathOf(
  { root }: Pick<WorkspaceFiles, 'root'>,
  { env, platform }: Pick<Ops, 'env' | 'platform'>,
): string {
  const workspace = createHash('sha256').update(root).digest('hex')
  return join(stateHomeOf(env, platform), 'releases', `${workspace}.json`)
}

export function openReleaseHistory(path: string): ReleaseHistory {
  const read = async () => {
    const file = await readPlainFile(path, LIMIT_BYTES)
    return file ? parseHistory(file.bytes.toString('utf8')) : {}
  }
  return {
    find: async (name) => historyOf(name, (await read())[name]),
    change: async (name, make) => {
      await requireFolder(dirname(path), 0o700)
      await holdLock(path, async (requireHeld) => {
        const names = await read()
        const { declined, earlier } = make(historyOf(name, names[name]))
        names[name] = { declined: declined.slice(0, MOST_KEPT), earlier: earlier.slice(0, MOST_KEPT) }
        const text = `${JSON.stringify({ version: 1, names }, null, 2)}\n`
        await writeAtomically(path, text, { mode: 0o600, requireHeld })
      })
    },
  }
}

/** A file that cannot be read counts as empty: people are asked again, which is safe. */
function parseHistory(text: string): Record<string, unknown> {
  try {
    const { version, names } = JSON.parse(text) as { version?: unknown; names?: unknown }
    if (version === 1 && names !== null && typeof names === 'object') return { ...names }
  } catch {
    // It counts as empty.
  }
  return {}
}

function historyOf(name: Name, value: unknown): NameHistory {
  if (value === null || typeof value !== 'object') return none
  const { declined, earlier } = value as { declined?: unknown; earlier?: unknown }
  const refused = Array.isArray(declined) ? declined.flatMap((one) => findIntegrity(String(one)) ?? []) : []
  const entries = Array.isArray(earlier) ? earlier.filter((entry) => isEntryOf(name, entry)) : []
  return { declined: refused, earlier: entries as LockedEntry[] }
}

function isEntryOf(name: Name, value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false
  const {
    name: said,
    hash,
    integrity,
    type,
    routing,
    fetchedAt,
  } = value as Partial<Record<keyof LockedEntry, unknown>>
  if (said !== name || typeof hash !== 'string' || typeof integrity !== 'string') return false
  const found = findIntegrity(integrity)
  return (
    found !== undefined &&
    findReference(`${name}.${hash}`) !== undefined &&
    hashMatches(hash, { hash, integrity: found }) &&
    ['deno', 'stdio', 'http'].includes(String(type)) &&
    ['client', 'server'].includes(String(routing)) &&
    typeof fetchedAt === 'string'
  )
}
