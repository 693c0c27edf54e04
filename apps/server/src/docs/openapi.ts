import { errorTable } from '@pml/core'
import {
  auditHeadAnswer,
  auditKeyAnswer,
  auditPage,
  catalogPage,
  errorBody,
  httpDocument,
  keyCreated,
  keyList,
  metadata,
  newKey,
  published,
  publishedDocument,
  stdioDocument,
} from '@pml/core/schemas'
import type { ListedTool } from '@pml/tools'
import { toolPaths } from '@pml/tools/http'
import { z } from 'zod'
import { VERSION } from '../version.ts'
import { approvalPaths, approvalSchemas } from './approval-paths.ts'
import { hookPaths, hookSchemas } from './hook-paths.ts'
import {
  fails,
  inHeader,
  inPath,
  inQuery,
  json,
  ref,
  schemaOf,
  withKey,
  withOrWithoutKey,
} from './openapi-parts.ts'
import { reportPaths, reportSchemas } from './report-paths.ts'

/** OpenAPI 3.1 of every route in app.ts; a test compares the two lists. */
export function openApiDocument(publicUrl: string | undefined, tools: readonly ListedTool[]) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'PML Registry',
      version: VERSION,
      description: 'A registry of MCPs in which nothing changes silently. Every error is {error, message}.',
    },
    servers: [{ url: publicUrl ?? '/' }],
    paths: {
      ...registryPaths,
      ...keyPaths,
      ...approvalPaths,
      ...hookPaths,
      ...auditPaths,
      ...reportPaths,
      ...toolPaths(tools, aroundTools),
      ...proxyPaths,
      ...operationPaths,
    },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', bearerFormat: 'pml_<id>_<secret>' } },
      schemas: componentSchemas(),
    },
  }
}

function componentSchemas() {
  const schemas = {
    Error: errorBody.extend({ error: z.enum(Object.keys(errorTable)) }),
    CatalogPage: catalogPage,
    Metadata: metadata,
    StdioEntry: stdioDocument,
    HttpEntry: httpDocument,
    PublishedDocument: publishedDocument,
    Published: published,
    NewKey: newKey,
    KeyCreated: keyCreated,
    KeyList: keyList,
    ...approvalSchemas,
    ...hookSchemas,
    AuditPage: auditPage,
    AuditHead: auditHeadAnswer,
    AuditKey: auditKeyAnswer,
    ...reportSchemas,
  }
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schemaOf(schema)]))
}

const reference = inPath(
  'reference',
  'org.project.namespace.action, with or without a hash',
  'pml.std.filesystem.read_file',
)
const name = inPath('reference', 'org.project.namespace.action, without a hash', 'acme.tools.text.shout')
const condition = inHeader('If-None-Match', 'An ETag from an earlier answer')
const routing = { type: 'string', enum: ['client', 'server'] }
const typescript = { 'application/typescript': { schema: { type: 'string' } } }

const registryPaths = {
  '/mcp': {
    get: {
      summary: 'List the registry',
      security: withOrWithoutKey,
      parameters: [
        inQuery('type', { type: 'string', enum: ['deno', 'stdio', 'http'] }, 'How it is delivered'),
        inQuery('routing', routing, 'Where it runs'),
        inQuery('tool', { type: 'string' }, 'Entries that offer this tool, namespace:action'),
        inQuery('q', { type: 'string' }, 'Words to search for; results are ranked, best first'),
        inQuery(
          'page',
          { type: 'integer', minimum: 1, default: 1 },
          'Either this or cursor; with q up to the best 500 entries',
        ),
        inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 'Entries to a page'),
        inQuery('cursor', { type: 'string' }, 'nextCursor of an earlier answer'),
        condition,
      ],
      responses: {
        200: json(ref('CatalogPage'), 'A page, sorted by name; with q by rank, best first'),
        304: { description: 'Unchanged' },
        ...fails(400, 401, 405, 429, 503),
      },
    },
    post: {
      summary: 'The tools over MCP, revision 2026-07-28 and older ones',
      description: 'One JSON-RPC message. The tools are those of GET /tools; see docs/mcp.md.',
      security: withOrWithoutKey,
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
      responses: {
        200: json({ type: 'object' }, 'A JSON-RPC answer, or a stream of them'),
        202: { description: 'A notification was taken' },
        ...fails(400, 401, 403, 408, 413, 415, 429, 503),
      },
    },
  },
  '/mcp/{reference}': {
    get: {
      summary: 'Fetch an entry',
      description:
        'With a hash: the code of a deno entry, or the document of a server. Without one: a redirect to what is current.',
      security: withOrWithoutKey,
      parameters: [reference, condition],
      responses: {
        200: {
          description: 'The entry',
          content: {
            ...typescript,
            'application/json': { schema: { oneOf: [ref('StdioEntry'), ref('HttpEntry')] } },
          },
        },
        302: { description: 'To the current release' },
        304: { description: 'Unchanged' },
        ...fails(400, 401, 404, 410, 429, 503),
      },
    },
    put: {
      summary: 'Publish a release',
      description:
        'The body is a self-contained TypeScript module (1 MiB at most) or the document of a server. Needs publish:<pattern>.',
      security: withKey,
      parameters: [
        name,
        inQuery('description', { type: 'string' }, 'Also as header X-PML-Description'),
        inQuery('routing', routing, 'Also as header X-PML-Routing'),
        inQuery(
          'visibility',
          { type: 'string', enum: ['public', 'private'] },
          'Also as header X-PML-Visibility',
        ),
      ],
      requestBody: {
        required: true,
        content: { ...typescript, 'application/json': { schema: ref('PublishedDocument') } },
      },
      responses: {
        200: json(ref('Published'), 'The same content was already current'),
        201: json(ref('Published'), 'A new release is current'),
        ...fails(400, 401, 403, 408, 409, 413, 415, 422, 429, 503),
      },
    },
    delete: {
      summary: 'Retire a name',
      description: 'Reads answer 410 from now on; its blobs stay. Needs publish:<pattern>.',
      security: withKey,
      parameters: [name],
      responses: { 204: { description: 'Retired' }, ...fails(400, 401, 403, 404, 409, 410, 429, 503) },
    },
  },
  '/mcp/{reference}/metadata': {
    get: {
      summary: 'Everything about an entry, with its history',
      security: withOrWithoutKey,
      parameters: [reference],
      responses: { 200: json(ref('Metadata'), 'The metadata'), ...fails(400, 401, 404, 410, 429, 503) },
    },
  },
  '/blobs/{integrity}': {
    get: {
      summary: 'The bytes of any release ever published',
      security: withOrWithoutKey,
      parameters: [
        inPath('integrity', 'sha256- and 64 hex characters', `sha256-${'0'.repeat(64)}`),
        condition,
      ],
      responses: {
        200: { description: 'The bytes' },
        304: { description: 'Unchanged' },
        ...fails(401, 404, 429, 503),
      },
    },
  },
  '/api/registry': {
    get: { summary: 'The older address of /mcp', responses: { 308: { description: 'To /mcp' } } },
  },
  '/api/registry/{reference}': {
    get: {
      summary: 'The older address of /mcp/{reference}',
      parameters: [reference],
      responses: { 308: { description: 'To /mcp/{reference}' } },
    },
  },
}

const keyId = inPath('id', 'The id of a key', '3f9c2a')
const keyPaths = {
  '/keys': {
    post: {
      summary: 'Create a key',
      security: withKey,
      requestBody: { required: true, content: { 'application/json': { schema: ref('NewKey') } } },
      responses: {
        201: json(ref('KeyCreated'), 'The key, shown only here'),
        ...fails(400, 401, 403, 408, 413, 415, 422, 429, 503),
      },
    },
    get: {
      summary: 'List keys',
      security: withKey,
      responses: { 200: json(ref('KeyList'), 'All keys, without their secrets'), ...fails(401, 403, 503) },
    },
  },
  '/keys/{id}': {
    delete: {
      summary: 'Revoke a key',
      security: withKey,
      parameters: [keyId],
      responses: { 204: { description: 'Revoked' }, ...fails(401, 403, 404, 409, 429, 503) },
    },
  },
  '/keys/{id}/rotate': {
    post: {
      summary: 'Give a key a new secret',
      security: withKey,
      parameters: [keyId],
      responses: {
        200: json(ref('KeyCreated'), 'The new key; the old one is dead'),
        ...fails(401, 403, 404, 429, 503),
      },
    },
  },
}

const text = { type: 'string' }
const time = { type: 'string', format: 'date-time' }
const auditPaths = {
  '/audit': {
    get: {
      summary: 'Search the audit log, newest first',
      description: 'Needs approve.',
      security: withKey,
      parameters: [
        inQuery('action', text, 'Events of this kind, such as key.create'),
        inQuery('actor', text, 'What this key did, by its id'),
        inQuery('subject', text, 'What happened to this key, name or change'),
        inQuery('since', time, 'At or after this time'),
        inQuery('until', time, 'Before this time'),
        inQuery('q', text, 'Text in everything that an event tells'),
        inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 'Events to a page'),
        inQuery('cursor', text, 'nextCursor of an earlier answer'),
      ],
      responses: { 200: json(ref('AuditPage'), 'A page'), ...fails(400, 401, 403, 429, 503) },
    },
  },
  '/audit/head': {
    get: {
      summary: 'Where the audit log ends now',
      description:
        'Kept elsewhere, it proves later that nothing before it was cut or changed. Needs approve.',
      security: withKey,
      responses: { 200: json(ref('AuditHead'), 'The head'), ...fails(401, 403, 429, 503) },
    },
  },
  '/audit/key': {
    get: {
      summary: 'The public key that signs the audit log',
      description: 'Heads, checkpoints and exports are signed with it; see docs/audit.md. Needs no key.',
      responses: { 200: json(ref('AuditKey'), 'The key'), ...fails(429, 503) },
    },
  },
  '/audit/export': {
    get: {
      summary: 'The whole audit log, to be verified without a registry',
      description: 'A first line, a line for each event, a last line; see docs/audit.md. Needs approve.',
      security: withKey,
      responses: {
        200: { description: 'Lines of JSON', content: { 'application/x-ndjson': { schema: text } } },
        ...fails(401, 403, 429, 503),
      },
    },
  },
}

const aroundTools = {
  security: (scope: string | undefined) => (scope === undefined ? withOrWithoutKey : withKey),
  failures: fails(400, 401, 403, 404, 408, 409, 410, 413, 415, 422, 429, 500, 503, 504, 507),
}

const server = inPath(
  'reference',
  'org.project.namespace.action of a server, with or without a hash',
  'pml.mcp.deepwiki.server',
)
const proxied = (summary: string, description: string, ...more: number[]) => ({
  summary,
  description: `${description} For entries of type http with routing server. Needs proxy:<pattern>.`,
  security: withKey,
  parameters: [server],
  responses: {
    200: {
      description: "The server's answer",
      content: {
        'application/json': { schema: { type: 'object' } },
        'text/event-stream': { schema: { type: 'string' } },
      },
    },
    ...fails(400, 401, 403, 404, 405, 409, 410, ...more, 429, 502, 503),
  },
})
const proxyPaths = {
  '/proxy/{reference}': {
    get: proxied('Listen to a proxied server', 'The stream of events that older revisions of MCP have.'),
    post: {
      ...proxied(
        'Speak MCP to a proxied server',
        'One JSON-RPC message; the answer is JSON or a stream.',
        413,
        415,
      ),
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    },
    delete: proxied('End a session with a proxied server', 'As older revisions of MCP have it.'),
  },
}

const plain = (summary: string, description: string) => ({
  get: { summary, responses: { 200: { description } } },
})
const operationPaths = {
  '/healthz': plain('Whether the process lives', 'It does'),
  '/readyz': {
    get: {
      summary: 'Whether database, migrations and configuration are good',
      responses: { 200: { description: 'All good' }, 503: { description: 'What is not' } },
    },
  },
  '/metrics': plain('Figures for Prometheus', 'Prometheus text'),
  '/openapi.json': plain('This document', 'OpenAPI 3.1'),
  '/docs': plain('A page to read and try it', 'HTML'),
  '/': { get: { summary: 'To the documentation', responses: { 302: { description: 'To /docs' } } } },
}
