import {
  integrityOf,
  isLocal,
  PmlError,
  printFqdn,
  toolNameOf,
  type Fqdn,
  type Integrity,
  type JsonValue,
  type Name,
  type Routing,
} from '@pml/core'
import { publishedDocument } from '@pml/core/schemas'
import type { Database } from '../db/connect.ts'
import type { Visibility } from '../db/schema.ts'
import { requirePublish, type Actor } from '../keys/actor.ts'
import { parseBody } from '../wire/parse-body.ts'
import { checkModule } from './modules/check-module.ts'
import type { ModuleParser } from './modules/module-parser.ts'
import { managedElsewhere, ofOneMachine } from './refusals.ts'
import { documentDraft, type ReleaseDraft } from './release.ts'
import { storeRelease, type NameRow } from './store-release.ts'

export interface Publication {
  readonly content:
    | { readonly kind: 'module'; readonly bytes: Uint8Array }
    | { readonly kind: 'document'; readonly value: unknown }
  readonly description: string | undefined
  readonly routing: Routing | undefined
  readonly visibility: Visibility | undefined
}

interface Published {
  readonly fqdn: Fqdn
  readonly name: Name
  readonly integrity: Integrity
  readonly created: boolean
}

interface Deps {
  readonly db: Database
  readonly modules: ModuleParser
  /** The routing by the current config/mcp-routing.json. */
  readonly routeTool: (name: Name) => Routing
  /** Drops a name from the caches of this process; other replicas learn of the change by NOTIFY. */
  readonly forget: (name: Name) => void
}

/** Publishes a release. Refuses a caller without the scope before the body is read. */
export async function publish(
  { db, modules, routeTool, forget }: Deps,
  actor: Actor,
  { name, read, signal }: { name: Name; read: () => Promise<Publication>; signal: AbortSignal },
): Promise<Published> {
  requirePublish(actor, name)
  if (isLocal(name)) throw ofOneMachine(name)
  const { content, description, routing, visibility } = await read()
  const request = { name, description, routing, otherwise: routeTool(name) }
  const draft =
    content.kind === 'module'
      ? await moduleDraft(modules, { ...request, bytes: content.bytes })
      : documentRelease(content.value, request)
  const guard = ({ source, retiredAt }: NameRow) => {
    if (source !== 'published' && !retiredAt) throw managedElsewhere(name, source)
  }
  const place = { name, source: 'published', visibility, guard } as const
  if (signal.aborted) throw new PmlError('cancelled', `Cannot publish ${name}: the client disconnected`)
  const stored = await db.orm.transaction((tx) => storeRelease(tx, actor, { place, draft }))
  forget(name)
  return { name, fqdn: printFqdn(name, stored.hash), integrity: draft.integrity, created: stored.created }
}

interface PublishRequest {
  readonly name: Name
  readonly description: string | undefined
  /** The requested routing; `otherwise`, which follows the rules, applies without one. */
  readonly routing: Routing | undefined
  readonly otherwise: Routing
}

const LONGEST_DESCRIPTION = 2000

/** Builds a draft from a module. The publisher's description overrides the module's own. */
export async function moduleDraft(
  modules: ModuleParser,
  { name, bytes, description, routing, otherwise }: PublishRequest & { bytes: Uint8Array },
): Promise<ReleaseDraft> {
  const { literals } = await checkModule(modules, bytes)
  const own = literals['description']
  const tool = toolNameOf(name)
  const finalDescription = description ?? (typeof own === 'string' ? own : '')
  const inputSchema = literals['inputSchema']
  const permissions = literals['permissions']
  requireStorable({ description: finalDescription, inputSchema, permissions })
  return {
    type: 'deno',
    routing: routing ?? otherwise,
    routingChosen: routing !== undefined,
    description: finalDescription,
    tools: [tool],
    bytes,
    integrity: integrityOf(bytes),
    schemas:
      inputSchema === undefined ? [] : [{ tool, description: finalDescription, inputSchema, permissions }],
  }
}

/** Refuses NUL and unpaired surrogates, which a module can contain and the database cannot store. */
function requireStorable(values: { description: string; [name: string]: JsonValue | undefined }): void {
  if (values.description.length > LONGEST_DESCRIPTION) {
    const problem = `expected a description of at most ${LONGEST_DESCRIPTION} characters, got ${values.description.length}`
    throw new PmlError('invalid_code', `Cannot publish the module: ${problem}`)
  }
  for (const [name, value] of Object.entries(values)) {
    const text = JSON.stringify(value) ?? ''
    if (/\\u(?:0000|d[89a-f])/.test(text)) {
      throw new PmlError(
        'invalid_code',
        `Cannot publish the module: expected ${name} without NUL and unpaired surrogates`,
      )
    }
  }
}

function documentRelease(value: unknown, request: PublishRequest): ReleaseDraft {
  const { fqdn: _fqdn, integrity: declared, ...written } = (value ?? {}) as Record<string, unknown>
  const parsed = parseBody(publishedDocument, written)
  const routing = request.routing ?? parsed.routing ?? request.otherwise
  const unpinned = {
    pinned: false,
    reason: 'it was published as a document; only configured servers are pinned',
  }
  const document = {
    ...parsed,
    description: request.description ?? parsed.description,
    routing,
    ...(parsed.type === 'stdio' ? unpinned : {}),
  }
  const draft = documentDraft(document, { type: parsed.type, routing, routingChosen: true, schemas: [] })
  if (declared !== undefined && declared !== draft.integrity) {
    throw new PmlError(
      'invalid_body',
      `Cannot publish ${request.name}: its integrity is ${draft.integrity}, but the document declares another; leave it out or correct it`,
    )
  }
  return draft
}
