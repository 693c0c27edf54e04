import { integrityOf, listingBytes, PmlError, type Integrity, type ServerListing } from '@pml/core'
import type { LocalServer } from '@pml/core/local-servers'
import type { ToolDefinition } from '@pml/core/pins'

export type { ServerListing } from '@pml/core'

/** What a server reports about itself. */
interface Shown {
  readonly instructions: string | undefined
  readonly tools: readonly ToolDefinition[]
}

/** The content that the integrity of a local server covers. It has no values of variables and headers. */
export function listingOf(
  { launch }: Pick<LocalServer, 'launch'>,
  { instructions, tools }: Shown,
): ServerListing {
  const shown = { instructions: instructions ?? null, tools }
  if (launch.kind === 'http') {
    const headers = Object.keys(launch.headers).sort()
    return { launch: { kind: 'http', url: launch.url, headers }, ...shown }
  }
  const { command, args, env, cwd = null } = launch
  return { launch: { kind: 'stdio', command, args, env: Object.keys(env).sort(), cwd }, ...shown }
}

interface HashedListing {
  readonly integrity: Integrity
  readonly bytes: Uint8Array
}

/** Hashes a listing. Throws for one that cannot be hashed: it could not be locked. */
export function hashListing(server: string, listing: ServerListing): HashedListing {
  try {
    const bytes = listingBytes(listing)
    return { integrity: integrityOf(bytes), bytes }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new PmlError(
      'server_failed',
      `Cannot use ${server}: its listing cannot be hashed: expected JSON without lone surrogates or deep nesting (${error.message})`,
    )
  }
}
