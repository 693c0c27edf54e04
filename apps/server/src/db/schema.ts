import {
  bigint,
  boolean,
  customType,
  integer,
  jsonb,
  pgTable,
  pgView,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import type { Integrity, Name, Routing } from '@pml/core'

/** The tables that `migrations/` creates; a test compares the two. */

export type McpType = 'deno' | 'stdio' | 'http'
export type Visibility = 'public' | 'private'
export type Source = 'published' | 'std' | 'config'

/** How to start or reach a configured server; `${NAME}` stands for an environment variable. */
export interface Connection {
  readonly command?: string | undefined
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' })
const instant = (column: string) => timestamp(column, { withTimezone: true, mode: 'date' })

export const blob = pgTable('blob', {
  integrity: text().$type<Integrity>().primaryKey(),
  mediaType: text('media_type').notNull(),
  bytes: bytea().notNull(),
})

export const mcpName = pgTable('mcp_name', {
  name: text().$type<Name>().primaryKey(),
  org: text().notNull().generatedAlwaysAs(''),
  source: text().$type<Source>().notNull(),
  visibility: text().$type<Visibility>().notNull().default('public'),
  current: text().$type<Integrity>(),
  retiredAt: instant('retired_at'),
  createdAt: instant('created_at').notNull().defaultNow(),
  revision: bigint({ mode: 'number' }).notNull().default(1),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

const releaseAttributes = {
  type: text().$type<McpType>().notNull(),
  routing: text().$type<Routing>().notNull(),
  description: text().notNull(),
  tools: text().array().notNull(),
  search: text().notNull(),
  sizeBytes: integer('size_bytes').notNull(),
}

export const mcpRelease = pgTable(
  'mcp_release',
  {
    name: text().$type<Name>().notNull(),
    integrity: text().$type<Integrity>().notNull(),
    hash: text().notNull(),
    routingChosen: boolean('routing_chosen').notNull(),
    served: bytea(),
    servedDigest: text('served_digest').notNull(),
    visibility: text().$type<Visibility>().notNull().default('public'),
    ...releaseAttributes,
  },
  (table) => [primaryKey({ columns: [table.name, table.integrity] })],
)

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' })

export const catalogEntry = pgTable('catalog_entry', {
  name: text().$type<Name>().primaryKey(),
  org: text().notNull(),
  visibility: text().$type<Visibility>().notNull(),
  type: text().$type<McpType>().notNull(),
  routing: text().$type<Routing>().notNull(),
  tools: text().array().notNull(),
  words: tsvector().notNull(),
})

export const catalogWord = pgTable(
  'catalog_word',
  { word: text().notNull(), org: text().notNull(), keys: text().array().notNull() },
  ({ word, org }) => [primaryKey({ columns: [word, org] })],
)

export const catalogUnspelled = pgTable('catalog_unspelled', { name: text().$type<Name>().primaryKey() })

export const appliedRouting = pgTable('applied_routing', {
  one: boolean().primaryKey().default(true),
  digest: text().notNull(),
})

export const publication = pgTable('publication', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  name: text().$type<Name>().notNull(),
  integrity: text().$type<Integrity>().notNull(),
  publishedAt: instant('published_at').notNull().defaultNow(),
  publishedBy: text('published_by').notNull(),
})

export const blobUse = pgTable(
  'blob_use',
  {
    integrity: text().$type<Integrity>().notNull(),
    name: text().$type<Name>().notNull(),
    visibility: text().$type<Visibility>().notNull().default('public'),
  },
  (table) => [primaryKey({ columns: [table.integrity, table.name] })],
)

export const mcpServer = pgTable('mcp_server', {
  serverId: text('server_id').primaryKey(),
  name: text().$type<Name>().notNull(),
  connectionInfo: jsonb('connection_info').$type<Connection>().notNull(),
  pin: jsonb(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const toolSchema = pgTable(
  'tool_schema',
  {
    name: text().$type<Name>().notNull(),
    tool: text().notNull(),
    description: text().notNull(),
    inputSchema: jsonb('input_schema').notNull(),
    outputSchema: jsonb('output_schema'),
    annotations: jsonb(),
    permissions: jsonb(),
  },
  (table) => [primaryKey({ columns: [table.name, table.tool] })],
)

export const apiKey = pgTable('api_key', {
  id: text().primaryKey(),
  name: text().notNull(),
  secretHash: text('secret_hash').notNull(),
  scopes: text().array().notNull(),
  specialist: text(),
  origin: text().$type<'first-start' | 'environment' | 'api'>().notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  createdBy: text('created_by'),
  expiresAt: instant('expires_at'),
  lastUsedAt: instant('last_used_at'),
  revokedAt: instant('revoked_at'),
  secretAt: instant('secret_at').notNull().defaultNow(),
})

const milliseconds = (column: string) => timestamp(column, { withTimezone: true, mode: 'date', precision: 3 })

export const auditEvent = pgTable('audit_event', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  at: milliseconds('at').notNull().defaultNow(),
  actor: text().notNull(),
  action: text().notNull(),
  subject: text().notNull(),
  detail: jsonb().$type<Readonly<Record<string, unknown>>>().notNull(),
})

export const auditPending = pgTable('audit_pending', {
  eventId: bigint('event_id', { mode: 'number' }).primaryKey(),
})

export const auditLink = pgTable('audit_link', {
  seq: bigint({ mode: 'number' }).primaryKey(),
  eventId: bigint('event_id', { mode: 'number' }).notNull(),
  prev: text().notNull(),
  hash: text().notNull(),
})

export const auditCheckpoint = pgTable('audit_checkpoint', {
  seq: bigint({ mode: 'number' }).primaryKey(),
  hash: text().notNull(),
  at: milliseconds('at').notNull().defaultNow(),
})

export const logKey = pgTable('log_key', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  key: text().notNull(),
  signature: text(),
  createdAt: instant('created_at').notNull().defaultNow(),
})

export const auditSignature = pgTable(
  'audit_signature',
  {
    seq: bigint({ mode: 'number' }).notNull(),
    keyId: integer('key_id').notNull(),
    signature: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.seq, table.keyId] })],
)

export const hookEvent = pgTable('hook_event', {
  id: uuid().primaryKey(),
  at: instant('at').notNull().defaultNow(),
})

export const keyMaker = pgTable(
  'key_maker',
  {
    keyId: text('key_id').notNull(),
    madeBy: text('made_by').notNull(),
    at: instant('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.madeBy, table.at] })],
)

export const configFile = pgTable('config_file', {
  name: text().primaryKey(),
  text: text().notNull(),
})

export type ChangeStatus = 'blocked' | 'approved' | 'rejected' | 'used'

export const change = pgTable('change', {
  id: text().primaryKey(),
  contentHash: text('content_hash').$type<Integrity>().notNull(),
  path: text().notNull(),
  project: text().notNull().default(''),
  tool: text().notNull(),
  type: text().notNull(),
  status: text().$type<ChangeStatus>().notNull().default('blocked'),
  sizeBytes: integer('size_bytes').notNull(),
  invisible: integer().notNull(),
  shape: text(),
  blockedAt: instant('blocked_at').notNull().defaultNow(),
  decidedAt: instant('decided_at'),
  decidedBy: text('decided_by'),
  specialist: text(),
  reason: text(),
  education: text(),
  suggestion: text(),
  tokenHash: text('token_hash'),
  expiresAt: instant('expires_at'),
  usedAt: instant('used_at'),
  usedBy: text('used_by'),
  askedBy: text('asked_by'),
  contentDroppedAt: instant('content_dropped_at'),
})

export const changeContent = pgTable('change_content', {
  changeId: text('change_id').primaryKey(),
  bytes: bytea().notNull(),
})

export const changeStorage = pgTable('change_storage', {
  keyId: text('key_id').primaryKey(),
  bytes: bigint({ mode: 'number' }).notNull(),
})

export const changeRequest = pgTable(
  'change_request',
  {
    changeId: text('change_id').notNull(),
    keyId: text('key_id').notNull(),
    agent: text().notNull().default(''),
    session: text().notNull().default(''),
    agentFold: text('agent_fold').notNull().default(''),
    sessionFold: text('session_fold').notNull().default(''),
    at: instant('at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.changeId, table.keyId, table.agent, table.session] })],
)

export type PatternKind = 'approve' | 'block'

export const pattern = pgTable('pattern', {
  id: text().primaryKey(),
  kind: text().$type<PatternKind>().notNull(),
  type: text().notNull(),
  pattern: text().notNull(),
  reason: text().notNull(),
  example: text().notNull(),
  specialist: text(),
  addedBy: text('added_by').notNull(),
  addedAt: instant('added_at').notNull().defaultNow(),
  removedAt: instant('removed_at'),
  removedBy: text('removed_by'),
  usageCount: bigint('usage_count', { mode: 'number' }).notNull().default(0),
  lastUsedAt: instant('last_used_at'),
  overturned: bigint({ mode: 'number' }).notNull().default(0),
  rules: integer().notNull().default(2),
  disabledReason: text('disabled_reason'),
})

export const patternRevision = pgTable('pattern_revision', {
  revision: bigint({ mode: 'number' }).notNull(),
})

export const webhook = pgTable('webhook', {
  url: text().primaryKey(),
  seq: bigint({ mode: 'number' }).notNull(),
  attempts: integer().notNull().default(0),
  nextAt: instant('next_at').notNull().defaultNow(),
  leaseUntil: instant('lease_until').notNull().default(new Date(0)),
})

/** Entries that can be fetched: modules, MiniTools and servers that are not retired. */
export const pmlRegistry = pgView('pml_registry', {
  name: text().$type<Name>().notNull(),
  releaseName: text('release_name').$type<Name>().notNull(),
  org: text().notNull(),
  kind: text().$type<'capability' | 'minitool' | 'server'>().notNull(),
  visibility: text().$type<Visibility>().notNull(),
  fqdn: text().notNull(),
  hash: text().notNull(),
  integrity: text().$type<Integrity>().notNull(),
  ...releaseAttributes,
}).existing()
