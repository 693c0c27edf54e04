import { PmlError, type Name } from '@pml/core'
import type { PublishedDocument } from '@pml/core/schemas'
import type { Entry } from '../catalog/entry.ts'
import type { Connection } from '../db/schema.ts'
import { textOf } from '../wire/answer.ts'
import { fillReferences, hasReferences, type Variables } from './fill-references.ts'

/** The address of a call and the headers that the registry adds. Contains secrets: never show or log it. */
export interface Target {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** The origin in the entry, without filled-in variables, for messages. */
  readonly place: string
}

interface ProxyTarget extends Target {
  /** Whether the operator configured it. Published servers may use only public addresses over HTTPS. */
  readonly isConfigured: boolean
  /** The filled-in values. */
  readonly secrets: readonly string[]
}

/** The address of an entry before variables are filled in. */
interface Template {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Returns the target of an entry. `connection` is the operator's configuration; without it, the published document counts. */
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
    throw new PmlError(
      'not_configured',
      `Cannot proxy ${name}: its address is not a valid URL once its variables are filled in`,
    )
  const [place = name] = /^https?:\/\/[^/?#\\]+/i.exec(template.url) ?? []
  return { url: new URL(filled.url), headers: filled.headers, place, isConfigured, secrets: filled.secrets }
}

function requireProxied({ name, type, routing }: Entry): void {
  if (type !== 'http')
    throw new PmlError('not_proxied', `Cannot proxy ${name}: expected an entry of type http, got ${type}`)
  if (routing !== 'server')
    throw new PmlError('not_proxied', `Cannot proxy ${name}: clients connect to it directly`)
}

function configured({ url = '', headers }: Connection): Template {
  return { url, headers }
}

/** Returns a published address. It may not use variables, because the environment belongs to the operator. */
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
