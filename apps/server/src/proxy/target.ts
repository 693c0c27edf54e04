import { PmlError, type Name } from '@pml/core'
import type { PublishedDocument } from '@pml/core/schemas'
import type { Entry } from '../catalog/entry.ts'
import type { Connection } from '../db/schema.ts'
import { textOf } from '../wire/answer.ts'
import { fillReferences, hasReferences, type Variables } from './fill-references.ts'

/** Where a call goes and what the registry adds to it. Holds secrets: never shown, never logged. */
export interface Target {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** The origin as the entry writes it, for messages. */
  readonly place: string
}

/** A target of the proxy. */
interface ProxyTarget extends Target {
  /** Whether the operator configured it. What others publish reaches public addresses by https alone. */
  readonly isConfigured: boolean
  /** The values that were filled in. */
  readonly secrets: readonly string[]
}

/** The address of an entry as it was written, before anything is filled in. */
interface Template {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** `connection` is what the operator configured; without it the entry's author wrote where it is. */
export function targetOf(
  entry: Entry,
  { connection, variables }: { connection: Connection | undefined; variables: Variables },
): ProxyTarget {
  const { name } = entry
  requireProxied(entry)
  const template = connection ? configured(connection) : published(entry)
  const isConfigured = connection !== undefined
  const filled = isConfigured ? fillReferences(name, { template, variables }) : { ...template, secrets: [] }
  if (!URL.canParse(filled.url) || !/^https?:/i.test(filled.url))
    throw new PmlError('not_configured', `Cannot proxy ${name}: with its variables its address is none`)
  const [place = name] = /^https?:\/\/[^/?#\\]+/i.exec(template.url) ?? []
  return { url: new URL(filled.url), headers: filled.headers, place, isConfigured, secrets: filled.secrets }
}

function requireProxied({ name, type, routing }: Entry): void {
  if (type !== 'http')
    throw new PmlError('not_proxied', `Cannot proxy ${name}: expected an entry of type http, it is ${type}`)
  if (routing !== 'server')
    throw new PmlError('not_proxied', `Cannot proxy ${name}: it is for clients to connect to themselves`)
}

function configured({ url = '', headers }: Connection): Template {
  return { url, headers }
}

/** What is in the environment here is the operator's, and no author's to send anywhere. */
function published({ name, body }: Entry): Template {
  const { proxyTo, headers = {} } = JSON.parse(textOf(body)) as PublishedDocument & { type: 'http' }
  if ([proxyTo, ...Object.values(headers)].some(hasReferences)) throw needsSecrets(name)
  return { url: proxyTo, headers }
}

function needsSecrets(name: Name): PmlError {
  return new PmlError(
    'not_proxied',
    `Cannot proxy ${name}: it needs variables, which only servers in config/mcp-servers.json get`,
  )
}
