import { parseReference, PmlError } from '@pml/core'
import { catalogPage, catalogQuery, httpDocument, metadata, stdioDocument } from '@pml/core/schemas'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { parseCatalogQuery } from '../catalog/catalog-query.ts'
import { answerFor, requireCurrent } from '../catalog/entry.ts'
import { answerForBlob, parseBlobAddress, readBlob } from '../catalog/read-blob.ts'
import { readMetadata } from '../catalog/read-metadata.ts'
import { answer, describeRoutes, inline, inPath, inQuery, named, text } from '../docs/describe.ts'
import { chooseAnswer } from '../wire/answer.ts'
import { readerOf } from '../http/caller.ts'
import { isForEvents } from '../http/methods.ts'
import { send, type Env } from '../http/observe-requests.ts'
import type { AppDeps } from './app-deps.ts'
import { searchParamsOf } from './read-request.ts'

/** Reading: the list, one entry, its metadata, and every release by its integrity. */
export function addCatalog(app: Hono<Env>, deps: AppDeps): void {
  const { db, entries, pages } = deps
  app.get('/mcp', docs.listCatalog, async (c) => {
    requireNoEvents(c)
    const { search } = new URL(c.req.url)
    const query = parseCatalogQuery(searchParamsOf(c))
    const request = { search: search.slice(1), signal: c.req.raw.signal }
    const page = await pages.read(query, await readerOf(deps, c), request)
    return send(c, chooseAnswer(page, c.req.header('if-none-match')))
  })
  app.get('/mcp/:reference', docs.getEntry, async (c) => {
    const { name, hash } = parseReference(c.req.param('reference'))
    const entry = await entries.read(name, await readerOf(deps, c, entries.peek(name)))
    return send(c, answerFor(entry, hash, c.req.header('if-none-match')))
  })
  app.get('/mcp/:reference/metadata', docs.getMetadata, async (c) => {
    const { name, hash } = parseReference(c.req.param('reference'))
    const reader = await readerOf(deps, c)
    const entry = await entries.read(name, reader)
    requireCurrent(entry, hash)
    c.header('Cache-Control', entry.visibility === 'public' ? 'no-cache' : 'private, no-cache')
    return c.json(await readMetadata(db, reader, { name, hash }))
  })
  app.get('/blobs/:integrity', docs.getBlob, async (c) => {
    const integrity = parseBlobAddress(c.req.param('integrity'))
    const blob = await readBlob(db, await readerOf(deps, c), integrity)
    return send(c, chooseAnswer(answerForBlob(blob), c.req.header('if-none-match')))
  })
  app.get('/api/registry', docs.listCatalogAtOldAddress, toNewAddress)
  app.get('/api/registry/:reference', docs.getEntryAtOldAddress, toNewAddress)
}

function requireNoEvents(c: Context): void {
  if (!isForEvents(c.req.header('accept'))) return
  throw new PmlError('method_not_allowed', 'Cannot GET events: use POST for MCP', { allow: 'POST' })
}

function toNewAddress(c: Context) {
  return c.redirect(c.req.url.replace(/^.*?\/api\/registry/, '/mcp'), 308)
}

const reference = inPath(
  'reference',
  'org.project.namespace.action, with or without the hash of a release',
  'pml.std.filesystem.read_file',
)
const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag of an earlier response. If nothing changed, the response is 304 without a body.',
  schema: text,
} as const
const integrity = inPath('integrity', 'sha256- and 64 hex characters', `sha256-${'0'.repeat(64)}`)
const notModified = { description: 'Nothing changed since the response with this ETag' }
const anyOther = { description: 'An error' }
const document = z.union([stdioDocument.meta({ id: 'StdioEntry' }), httpDocument.meta({ id: 'HttpEntry' })])
const released = {
  'application/typescript': { schema: text },
  'application/json': { schema: inline(document) },
}

const docs = describeRoutes('Catalog', {
  listCatalog: {
    summary: 'List or search entries',
    description:
      'Sorted by name. With `q`, the best 500 matches, best first. Send `page` or `cursor`, not both. A GET that accepts `text/event-stream` comes from an MCP client of an older revision and gets 405.',
    access: 'optional',
    parameters: [...inQuery(catalogQuery, { q: 'read file', type: 'deno', page: 1, limit: 10 }), ifNoneMatch],
    responses: { 200: answer(named('CatalogPage', catalogPage), 'A page of entries'), 304: notModified },
    fails: [400, 405],
  },
  getEntry: {
    summary: 'Get an entry',
    description:
      'With a hash, the code of a module or the document of a server. Without one, a redirect to the current release.',
    access: 'optional',
    parameters: [reference, ifNoneMatch],
    responses: {
      200: { description: 'The module or the document', content: released },
      302: { description: 'A redirect to the current release' },
      304: notModified,
    },
    fails: [400, 404, 410],
  },
  getMetadata: {
    summary: 'Get the metadata of an entry',
    description: 'Its tools, integrity, size and visibility, and every earlier release.',
    access: 'optional',
    parameters: [reference],
    responses: { 200: answer(named('Metadata', metadata), 'The metadata') },
    fails: [400, 404, 410],
  },
  getBlob: {
    summary: 'Get any release by its integrity',
    description: 'A release stays readable after a newer one is current, and after its name is retired.',
    access: 'optional',
    parameters: [integrity, ifNoneMatch],
    responses: { 200: { description: 'The bytes', content: released }, 304: notModified },
    fails: [404],
  },
  listCatalogAtOldAddress: {
    summary: 'List entries at the old address',
    deprecated: true,
    access: 'none',
    responses: { 308: { description: 'A redirect to /mcp' }, default: anyOther },
    fails: [429],
  },
  getEntryAtOldAddress: {
    summary: 'Get an entry at the old address',
    deprecated: true,
    access: 'none',
    parameters: [reference],
    responses: { 308: { description: 'A redirect to /mcp/{reference}' }, default: anyOther },
    fails: [429],
  },
})
