import { PmlError } from '@pml/core'
import { and, eq, isNull } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { mcpName, mcpServer, type Connection } from '../db/schema.ts'
import { RETRY_AFTER_S } from '../db/deadline.ts'
import type { Entry } from './entry.ts'

/** Returns the configured connection of exactly this release; undefined for a published entry. */
export async function readConnection(
  { orm }: Database,
  { name, integrity }: Entry,
): Promise<Connection | undefined> {
  const [row] = await orm
    .select({ source: mcpName.source, connection: mcpServer.connectionInfo })
    .from(mcpName)
    .leftJoin(mcpServer, eq(mcpServer.name, mcpName.name))
    .where(and(eq(mcpName.name, name), eq(mcpName.current, integrity), isNull(mcpName.retiredAt)))
  if (!row) {
    throw new PmlError('unavailable', `Cannot use ${name}: it has just changed; try again`, {
      retryAfter: RETRY_AFTER_S,
    })
  }
  // The server row stays when a name leaves the configuration and is later published.
  return row.source === 'config' ? (row.connection ?? undefined) : undefined
}
