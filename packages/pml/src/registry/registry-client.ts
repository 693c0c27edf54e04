import {
  findReference,
  integrityOf,
  isLocal,
  parseReference,
  PmlError,
  printFqdn,
  type Fqdn,
  type Integrity,
  type Name,
  findLocalServer,
} from '@pml/core'
import { parseAnswer } from './parse-answer.ts'
import { unusable, type Http, type HttpAnswer } from './http.ts'
import { mismatch, verifyAnswer, type Release } from './verify-answer.ts'

/** Reads entries from the registry. All content it returns is verified. */
export interface RegistryClient {
  readonly registry: URL
  /** The release of exactly this FQDN; 'unchanged' if it is `known`, and the current FQDN if there is a newer release. */
  readRelease(fqdn: Fqdn, known?: Integrity): Promise<Release | 'unchanged' | { readonly current: Fqdn }>
  /** The FQDN of the current release. */
  readCurrentFqdn(name: Name): Promise<Fqdn>
  /** The bytes of any release ever published. */
  readBlob(integrity: Integrity): Promise<Uint8Array>
  /** Entries that offer a tool or match a search. */
  list(query: Readonly<Record<string, string>>): Promise<CatalogItem[]>
}

export interface CatalogItem {
  readonly fqdn: Fqdn
  readonly name: Name
  readonly type: string
  readonly routing: string
  readonly description: string
}

const MOST_PAGES = 50

export function createRegistryClient(http: Http, registry: URL): RegistryClient {
  const json = (answer: HttpAnswer) => {
    const { status, headers, bytes } = answer
    const text = bytes.toString('utf8')
    return parseAnswer({ isOk: status === 200, status, text, location: headers['location'] }, registry)
  }
  return {
    registry,
    readRelease: async (fqdn, known) => {
      requireOfRegistry(parseReference(fqdn).name)
      const condition = known === undefined ? {} : { headers: { 'if-none-match': `"${known}"` } }
      const answer = await http.send(`mcp/${fqdn}`, condition)
      if (answer.status === 200 && isOfRegistry(answer)) return verifyAnswer(answer, fqdn)
      if (answer.status === 304 && known !== undefined) return unchanged(answer, fqdn, known)
      const current = answer.status === 404 ? findCurrent(answer, fqdn) : undefined
      if (current !== undefined) return { current }
      throw refusal(json, answer, registry)
    },
    readCurrentFqdn: async (name) => {
      requireOfRegistry(name)
      const answer = await http.send(`mcp/${name}`)
      if (answer.status !== 302) throw refusal(json, answer, registry)
      return targetOf(answer, name, registry)
    },
    readBlob: async (integrity) => {
      const answer = await http.send(`blobs/${integrity}`)
      if (answer.status !== 200) throw refusal(json, answer, registry)
      const found = integrityOf(answer.bytes)
      if (found !== integrity)
        throw mismatch(`/blobs/${integrity}`, { what: 'its address', said: integrity, found })
      return answer.bytes
    },
    list: async (query) => {
      const items: CatalogItem[] = []
      let cursor: string | undefined
      for (let page = 0; page < MOST_PAGES; page++) {
        const search = new URLSearchParams({ ...query, limit: '100', ...(cursor && { cursor }) })
        const body = json(await http.send(`mcp?${search.toString()}`))
        items.push(...itemsIn(body['items'], registry))
        if (typeof body['nextCursor'] !== 'string') break
        cursor = body['nextCursor']
      }
      return items
    },
  }
}

/** A login page or another server sends neither header. */
function isOfRegistry({ headers }: HttpAnswer): boolean {
  return headers['x-pml-type'] !== undefined || headers['x-pml-fqdn'] !== undefined
}

/** The registry confirms the cached content: its ETag must be the same. */
function unchanged({ headers }: HttpAnswer, fqdn: Fqdn, known: Integrity): 'unchanged' {
  const { etag } = headers
  if (etag === undefined || etag === `"${known}"` || etag === `W/"${known}"`) return 'unchanged'
  const said = etag.replace(/^(?:W\/)?"(.*)"$/, '$1')
  throw mismatch(fqdn, { what: 'the ETag', said, found: known })
}

/** `currentFqdn` in the error for an outdated hash, if it has the same name. */
function findCurrent({ bytes }: HttpAnswer, asked: Fqdn): Fqdn | undefined {
  const { error, currentFqdn } = tryJson(bytes)
  if (error !== 'hash_mismatch' || typeof currentFqdn !== 'string') return undefined
  const current = findReference(currentFqdn)
  const isSameName = current?.hash !== undefined && current.name === parseReference(asked).name
  return isSameName ? (currentFqdn as Fqdn) : undefined
}

/** A redirect may only name a release of the same entry, at the same registry. */
function targetOf({ headers }: HttpAnswer, name: Name, registry: URL): Fqdn {
  const location = headers['location'] ?? ''
  const asked = new URL(`mcp/${name}`, registry)
  const target = location !== '' && URL.canParse(location, asked.href) ? new URL(location, asked) : undefined
  const found = target?.origin === registry.origin ? findReference(entryAt(target, registry)) : undefined
  if (found?.hash === undefined || found.name !== name)
    throw unusable(
      registry,
      `it redirects ${name} to ${target?.href.slice(0, 200) ?? 'nowhere'}, expected a release of it at the same registry`,
    )
  return printFqdn(name, found.hash)
}

/** Behind a proxy with a path, a registry may put that path in its redirects or not. */
function entryAt({ pathname }: URL, registry: URL): string {
  const folder = pathname.slice(0, pathname.lastIndexOf('/') + 1)
  const isEntry = folder === '/mcp/' || folder === `${registry.pathname}mcp/`
  return isEntry ? pathname.slice(folder.length) : ''
}

function refusal(json: (answer: HttpAnswer) => unknown, answer: HttpAnswer, registry: URL): PmlError {
  try {
    json(answer)
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    // A failing registry says nothing about the entry: it counts as unreachable.
    return answer.status < 500
      ? error
      : unusable(registry, `it failed with status ${answer.status}: ${error.message}`)
  }
  return unusable(registry, `unexpected status ${answer.status}`)
}

function itemsIn(items: unknown, registry: URL): CatalogItem[] {
  if (!Array.isArray(items)) throw unusable(registry, 'it does not list entries')
  return items.flatMap((item: Record<string, unknown> | null) => {
    const fqdn = String(item?.['fqdn'])
    const reference = findReference(fqdn)
    if (reference?.hash === undefined || isLocal(reference.name)) return []
    const text = (key: string) => String(item?.[key] ?? '')
    return {
      fqdn: fqdn as Fqdn,
      name: reference.name,
      type: text('type'),
      routing: text('routing'),
      description: text('description'),
    }
  })
}

function tryJson(bytes: Buffer): Record<string, unknown> {
  try {
    return (JSON.parse(bytes.toString('utf8')) ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Throws for local names: they are never requested from a registry, nor taken from one. */
export function requireOfRegistry(name: Name): void {
  if (!isLocal(name)) return
  const server = findLocalServer(name)
  const fix = server === undefined ? 'choose another name' : `"pml mcp test ${server}" starts it`
  throw new PmlError(
    'invalid_fqdn',
    `Cannot fetch ${name}: names that begin with local belong to servers on this machine and are not in a registry; ${fix}`,
  )
}
