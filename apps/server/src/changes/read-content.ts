import { eq } from 'drizzle-orm'
import { createBatch } from '../db/batch.ts'
import type { Database, Orm, Transaction } from '../db/connect.ts'
import { changeContent } from '../db/schema.ts'

/** Returns the content of a change; undefined if it was imported and its content was never sent. */
export async function readContent(orm: Orm | Transaction, id: string): Promise<string | undefined> {
  const [row] = await orm.select().from(changeContent).where(eq(changeContent.changeId, id))
  return row?.bytes.toString('utf8')
}

/** Reads contents in batches, for concurrent callers. */
export type FindContent = (id: string) => Promise<string | undefined>

export function createFindContent({ lookups }: Pick<Database, 'lookups'>): FindContent {
  return createBatch<string, string | undefined>(
    async (ids) => {
      const rows = await lookups<{ id: string; bytes: Buffer }[]>`
        select change_id as id, bytes from change_content where change_id = any(${[...new Set(ids)]})`
      const byId = new Map(rows.map(({ id, bytes }) => [id, bytes.toString('utf8')]))
      return ids.map((id) => byId.get(id))
    },
    { most: 50, lanes: 2 },
  )
}
