import { integrityOf, serverName, type RoutingRules, type ServerConfig } from '@pml/core'
import { lockBytes, toolsBytes, type Pin } from '@pml/core/pins'
import { sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/connect.ts'
import { mcpServer } from '../db/schema.ts'
import { system } from '../keys/actor.ts'
import { retireMissing } from './retire-missing.ts'
import { serverDraft } from './server-document.ts'
import { keepBlob, storeRelease } from './store-release.ts'

interface Configured {
  readonly servers: readonly ServerConfig[]
  readonly pins: ReadonlyMap<string, Pin>
  readonly routes: RoutingRules
}

/** Stores the configured servers in one transaction; retires servers that left the file. */
export async function syncServers(
  db: Database,
  { servers, pins, routes }: Configured,
): Promise<{ changed: number }> {
  return db.orm.transaction(async (tx) => {
    let changed = 0
    for (const server of servers.toSorted((a, b) => (a.server < b.server ? -1 : 1))) {
      const pin = pins.get(server.server)
      const place = { name: serverName(server.server), source: 'config', visibility: 'public' } as const
      const { created } = await storeRelease(tx, system, {
        place,
        draft: serverDraft(server, { pin, routes }),
      })
      if (created) changed++
      await keepServer(tx, server, pin)
    }
    const names = servers.map(({ server }) => serverName(server))
    return { changed: changed + (await retireMissing(tx, 'config', names)) }
  })
}

async function keepServer(tx: Transaction, server: ServerConfig, pin: Pin | undefined): Promise<void> {
  const name = serverName(server.server)
  const { command, args, env, url, headers } = server
  const values = {
    connectionInfo: { command, args, env, url, headers },
    pin: pin ?? null,
    updatedAt: sql`clock_timestamp()`,
  }
  await tx
    .insert(mcpServer)
    .values({ serverId: server.server, name, ...values })
    .onConflictDoUpdate({ target: mcpServer.serverId, set: values })
  if (!pin) return
  // The document refers to these by digest: the lock of the tree, and the tool definitions.
  for (const bytes of [lockBytes(pin), ...(pin.tools ? [toolsBytes(pin.tools)] : [])])
    await keepBlob(tx, name, {
      integrity: integrityOf(bytes),
      mediaType: 'application/json',
      bytes,
      visibility: 'public',
    })
}
