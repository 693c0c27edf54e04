import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback, PmlError } from '@pml/core'
import { findForeign } from '@pml/tools/http'

interface Addresses {
  /** Where the server listens. */
  readonly host: string
  readonly publicUrl: string | undefined
  /** Other host names that clients use. */
  readonly allowedHosts: readonly string[]
}

/** Returns the reason to refuse a request because of its Host or Origin, or undefined. */
export type FindForeign = (headers: IncomingHttpHeaders) => PmlError | undefined

/**
 * Allows calls from programs, from this server's own pages and from pages on this machine. If the server listens only
 * on loopback or knows its public URL, a request for any other host is DNS rebinding and is refused.
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
        `${foreign.message}; set PML_PUBLIC_URL or PML_ALLOWED_HOSTS to the registry's host names`,
      )
    if (isProgram) lastFine = host
    return undefined
  }
}
