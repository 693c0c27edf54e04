import { PmlError } from '@pml/core'
import { findForeign } from '@pml/tools/http'

/** Why a call may not come from where it comes; undefined when it may. */
export type FindForeign = (headers: Pick<Headers, 'get'>) => PmlError | undefined

const loopback = new Set(['localhost', '127.0.0.1', '::1'])

/**
 * Tools may be called by programs, by pages of this server and by pages on this machine. Where the server only listens
 * to this machine, or knows its public address, a request for another host is one that a page tricked a browser into.
 */
export function createForeignCheck({
  host,
  publicUrl,
}: {
  host: string
  publicUrl: string | undefined
}): FindForeign {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl)
  const isKnown = own !== undefined || loopback.has(host)
  const sources = {
    ...(isKnown ? { allowedHosts: own ? [own.host] : [] } : {}),
    allowedOrigins: own ? [own.origin] : [],
  }
  let lastFine: string | null = null
  return (headers) => {
    const isProgram = headers.get('origin') === null
    const host = headers.get('host')
    if (isProgram && host !== null && host === lastFine) return undefined
    const foreign = findForeign(headers, sources)
    if (foreign)
      return new PmlError(
        foreign.code,
        `${foreign.message}; PML_PUBLIC_URL tells the registry its own address`,
      )
    if (isProgram) lastFine = host
    return undefined
  }
}
