import {
  integrityOf,
  PmlError,
  printFqdn,
  toolNameOf,
  type Fqdn,
  type Integrity,
  type Name,
  type Routing,
} from '@pml/core'
import { publishedDocument } from '@pml/core/schemas'
import type { Database } from '../db/connect.ts'
import type { Visibility } from '../db/schema.ts'
import { requirePublish, type Actor } from '../keys/actor.ts'
import { parseBody } from '../http/parse-body.ts'
import { checkModule } from './modules/check-module.ts'
import type { ModuleParser } from './modules/module-parser.ts'
import { managedElsewhere } from './refusals.ts'
import { documentDraft, type ReleaseDraft } from './release.ts'
import { storeRelease, type NameRow } from './store-release.ts'

export interface Publication {
  readonly name: Name
  readonly content:
    | { readonly kind: 'module'; readonly bytes: Uint8Array }
    | { readonly kind: 'document'; readonly value: unknown }
  readonly description: string | undefined
  readonly routing: Routing | undefined
  readonly visibility: Visibility | undefined
}

export interface Published {
  readonly fqdn: Fqdn
  readonly name: Name
  readonly integrity: Integrity
  readonly created: boolean
}

interface Deps {
  readonly db: Database
  readonly modules: ModuleParser
  /** What config/mcp-routing.json says now. */
  readonly routeTool: (name: Name) => Routing
}

export async function publish(
  { db, modules, routeTool }: Deps,
  actor: Actor,
  wish: Publication,
): Promise<Published> {
  const { name, content, visibility } = wish
  requirePublish(actor, name)
  const routing = { routing: wish.routing ?? routeTool(name), routingChosen: wish.routing !== undefined }
  const draft =
    content.kind === 'module'
      ? await moduleDraft(modules, { ...wish, ...routing, bytes: content.bytes })
      : publishedDraft(content.value, { ...wish, ...routing })
  const guard = ({ source, retiredAt }: NameRow) => {
    if (source !== 'published' && !retiredAt) throw managedElsewhere(name, source)
  }
  const place = { name, source: 'published', visibility, guard } as const
  const stored = await db.orm.transaction((tx) => storeRelease(tx, actor, { place, draft }))
  return { name, fqdn: printFqdn(name, stored.hash), integrity: draft.integrity, created: stored.created }
}

interface Wish {
  readonly name: Name
  readonly description: string | undefined
  readonly routing: Routing
  readonly routingChosen: boolean
}

/** A module may describe itself; what the publisher says beside it wins. */
export async function moduleDraft(
  modules: ModuleParser,
  { name, bytes, description, routing, routingChosen }: Wish & { bytes: Uint8Array },
): Promise<ReleaseDraft> {
  const { literals } = await checkModule(modules, bytes)
  const own = literals['description']
  const tool = toolNameOf(name)
  const told = description ?? (typeof own === 'string' ? own : '')
  const inputSchema = literals['inputSchema']
  const schemas =
    inputSchema === undefined
      ? []
      : [{ tool, description: told, inputSchema, permissions: literals['permissions'] }]
  return {
    type: 'deno',
    routing,
    routingChosen,
    description: told,
    tools: [tool],
    bytes,
    integrity: integrityOf(bytes),
    schemas,
  }
}

function publishedDraft(value: unknown, wish: Wish): ReleaseDraft {
  const { fqdn: _fqdn, integrity: declared, ...written } = (value ?? {}) as Record<string, unknown>
  const parsed = parseBody(publishedDocument, written)
  const routing = parsed.routing ?? wish.routing
  const document = { ...parsed, description: wish.description ?? parsed.description, routing }
  const draft = documentDraft(document, { type: parsed.type, routing, routingChosen: true, schemas: [] })
  if (declared !== undefined && declared !== draft.integrity) {
    throw new PmlError(
      'invalid_body',
      `Cannot publish ${wish.name}: its integrity is ${draft.integrity}, but the document declares another; leave it out or correct it`,
    )
  }
  return draft
}
