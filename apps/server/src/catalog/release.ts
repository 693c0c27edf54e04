import {
  documentBytes,
  integrityOf,
  reprDigest,
  type Integrity,
  type JsonObject,
  type JsonValue,
  type Name,
  type Routing,
  printFqdn,
} from '@pml/core'
import type { McpType } from '../db/schema.ts'

/** A release before it is stored and has a hash label. */
export interface ReleaseDraft {
  readonly type: McpType
  readonly routing: Routing
  /** False if the routing follows config/mcp-routing.json. */
  readonly routingChosen: boolean
  readonly description: string
  readonly tools: readonly string[]
  readonly bytes: Uint8Array
  readonly integrity: Integrity
  /** The known tool definitions. */
  readonly schemas: readonly ToolDefinition[]
}

export interface ToolDefinition {
  readonly tool: string
  readonly description: string
  readonly inputSchema: JsonValue
  readonly outputSchema?: JsonValue | undefined
  readonly annotations?: JsonValue | undefined
  readonly permissions?: JsonValue | undefined
}

interface Served {
  /** Null if the blob itself is served. */
  readonly bytes: Uint8Array | null
  readonly digest: string
}

export const mediaTypeOf = (type: McpType): string =>
  type === 'deno' ? 'application/typescript; charset=utf-8' : 'application/json'

export function documentDraft(
  document: Record<string, JsonValue>,
  rest: Omit<ReleaseDraft, 'bytes' | 'integrity' | 'description' | 'tools'>,
): ReleaseDraft {
  const bytes = documentBytes(document)
  const { description, tools } = document as { description: string; tools: string[] } & JsonObject
  return { ...rest, description, tools, bytes, integrity: integrityOf(bytes) }
}

/** Returns the served form: code unchanged, a document with its fqdn and integrity added. */
export function servedFor(name: Name, hash: string, { type, bytes, integrity }: ReleaseDraft): Served {
  if (type === 'deno') return { bytes: null, digest: reprDigest(integrity) }
  const document = JSON.parse(new TextDecoder().decode(bytes)) as JsonObject
  const text = `${JSON.stringify({ fqdn: printFqdn(name, hash), ...document, integrity }, null, 2)}\n`
  const served = new TextEncoder().encode(text)
  return { bytes: served, digest: reprDigest(integrityOf(served)) }
}

/** Returns the searchable text of a release, in lower case. */
export function searchTextOf(
  name: Name,
  { description, tools }: Pick<ReleaseDraft, 'description' | 'tools'>,
): string {
  return [name, description, ...tools].join('\n').toLowerCase()
}
