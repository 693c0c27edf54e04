import {
  hexOf,
  integrityOf,
  parseReference,
  type Integrity,
  type LockedEntry,
  type Lockfile,
} from '@pml/core'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { openClient } from '../../packages/pml/src/calls/open-client.ts'
import { inParallel } from '../../packages/pml/src/machine/in-parallel.ts'
import { processOps } from '../../packages/pml/src/machine/ops.ts'
import { syncEntries } from '../../packages/pml/src/commands/pml/sync.ts'
import type { Bench } from '../bench.ts'
import { moduleText } from '../registry/module-text.ts'
import { publishModule } from '../registry/publish-modules.ts'
import type { Registry } from '../registry/start-registry.ts'
import { timed, type Timed } from './alternate.ts'
import { makeBenchWorkspace, type BenchWorkspace } from './bench-workspace.ts'
import { compare } from './compare.ts'

const ENTRIES = 200
/** From small modules to large ones. */
const SIZES_BYTES = [1000, 4000, 16_000, 64_000]
const CONNECTIONS = 32
const rounds = { warmUps: 5, rounds: 25 }

/** Syncs everything locked into an empty cache, compared with a download of the same bytes that stores and verifies nothing. */
export async function measureSync(bench: Bench, registry: Registry): Promise<void> {
  const lockfile = await publishLocked(registry)
  const integrities = Array.from(lockfile.entries.values(), ({ integrity }) => integrity)
  const workspace = await makeBenchWorkspace(bench.stops, { allow: ['syncing:*'], lockfile })
  await compare(bench, 'sync-200', {
    ...rounds,
    ours: syncCold(workspace, registry),
    peer: downloadAll(registry, integrities),
    against: 'a bare parallel download',
  })
}

async function publishLocked(registry: Registry): Promise<Lockfile> {
  const entries = new Map<LockedEntry['name'], LockedEntry>()
  for (let index = 0; index < ENTRIES; index++) {
    const id = `s_${index}`
    const text = moduleText(id, SIZES_BYTES[index % SIZES_BYTES.length] ?? 0)
    const integrity = integrityOf(Buffer.from(text))
    const { name } = parseReference(await publishModule(registry, `bench.client.syncing.${id}`, text))
    const hash = hexOf(integrity).slice(0, 4)
    const fetchedAt = '2026-01-07T12:00:00.000Z'
    entries.set(name, { name, hash, integrity, fetchedAt, type: 'deno', routing: 'client' })
  }
  return { entries }
}

/** Both sides start without a connection. */
function syncCold({ root, cacheDir, env }: BenchWorkspace, { url }: Registry): Timed {
  const ops = { ...processOps(), env: { ...env, PML_REGISTRY_URL: url } }
  return async () => {
    const client = await openClient({ ...ops, cacheHome: join(cacheDir, randomUUID()) }, { workspace: root })
    try {
      return await timed(async () => {
        const { fetched } = await syncEntries(client, () => undefined)
        if (fetched !== ENTRIES) throw new Error(`Cannot sync ${ENTRIES} entries: got ${fetched}`)
      })
    } finally {
      await client.close()
    }
  }
}

function downloadAll({ url }: Registry, integrities: readonly Integrity[]): Timed {
  return async () => {
    const dispatcher = new Agent({ connections: CONNECTIONS })
    try {
      return await timed(() => inParallel(integrities, (integrity) => download(url, integrity, dispatcher)))
    } finally {
      await dispatcher.close()
    }
  }
}

async function download(url: string, integrity: Integrity, dispatcher: Agent): Promise<void> {
  const { statusCode, body } = await request(`${url}/blobs/${integrity}`, { dispatcher })
  await body.arrayBuffer()
  if (statusCode !== 200) throw new Error(`Cannot download ${integrity}: expected 200, got ${statusCode}`)
}
