import type { Client, RequestOptions, StandardSchemaV1 } from '@modelcontextprotocol/client'
import { listPage } from './list-tools.ts'
import { isUnknownMethod } from './session-errors.ts'

/** Any answer will do. */
const anything: StandardSchemaV1<unknown> = {
  '~standard': { version: 1, vendor: 'pml', validate: (value) => ({ value }) },
}

/** Revisions since 2026-07-28 have no ping; the first page of the tool list is as cheap and changes nothing. */
export async function ping(client: Client, options: RequestOptions): Promise<void> {
  try {
    if (client.getProtocolEra() === 'modern') await listPage(client, { cursor: undefined, options })
    else await client.request({ method: 'ping' }, anything, options)
  } catch (error) {
    if (!isUnknownMethod(error)) throw error
  }
}
