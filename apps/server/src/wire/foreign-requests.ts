import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback, PmlError } from '@pml/core'
import { findForeign } from '@pml/tools/http'

interface Addresses {
  /** Where the server listens. */
  readonly host: string
  readonly publicUrl: string | undefined
  /** Further names that clients use. */
  readonly allowedHosts: readonly string[]
}

/** Why a call may not come from where it comes; undefined when it may. */
export type FindForeign = (headers: IncomingHttpHeaders) => PmlError | undefined

/**
 * Tools may be called by programs, by pages of this server and by pages on this machine. Where the server only listens
 * to this machine, or knows its public address, a request for another host is one that a page tricked a browser into.
 */
export function createForeignCheck({ host, publicUrl, allowedHosts }: Addresses): FindForeign {
  const own = publicUrl === undefined ? [] : [new URL(publicUrl)]
  const known = [...own.map(({ host }) => host), ...allowedHosts]
  const isKnown = known.length > 0 || isLoopback(host.includes(':') ? `[${host}]` : host)
  const sources = {
    ...(isKnown ? { allowedHosts: known } : {}),
    allowedOrigins: own.map(({ origin }) => origin),
  }
  let lastFine: string | undefined
  return ({ origin, host }) => {
    const isProgram = origin === undefined
    if (isProgram && host !== undefined && host === lastFine) return undefined
    const fields: Readonly<Record<string, string | undefined>> = { origin, host }
    const foreign = findForeign({ get: (name) => fields[name] ?? null }, sources)
    if (foreign)
      return new PmlError(
        foreign.code,
        `${foreign.message}; PML_PUBLIC_URL and PML_ALLOWED_HOSTS tell the registry its names`,
      )
    if (isProgram) lastFine = host
    return undefined
  }
}
