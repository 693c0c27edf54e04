import type { Client, RequestOptions } from '@modelcontextprotocol/client'
import { listPage } from './list-tools.ts'
import { isUnknownMethod } from './session-errors.ts'

/** Revisions since 2026-07-28 have no ping. What is asked for instead is cheap and changes nothing. */
export async function askForLife(client: Client, options: RequestOptions): Promise<void> {
  try {
    if (client.getProtocolEra() === 'modern') await listPage(client, { cursor: undefined, options })
    else await client.ping(options)
  } catch (error) {
    if (!isUnknownMethod(error)) throw error
  }
}
