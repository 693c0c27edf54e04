import { PmlError } from '@pml/core'
import { and, eq, isNull } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { mcpName, mcpServer, type Connection } from '../db/schema.ts'
import { RETRY_AFTER_S } from '../db/deadline.ts'
import type { Entry } from './entry.ts'

/** How an operator configured the server of an entry, as of the very release at hand; undefined for what was published. */
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
  // A name that left the configuration can be published anew, while the row of the server stays.
  return row.source === 'config' ? (row.connection ?? undefined) : undefined
}
