import { parseName } from '@pml/core'
import { published, publishedDocument, routing, visibility } from '@pml/core/schemas'
import type { Hono } from 'hono'
import { z } from 'zod'
import { publish } from '../catalog/publish.ts'
import { retire } from '../catalog/retire.ts'
import { answer, bodyFails, describeRoutes, inPath, inQuery, json, named, text } from '../docs/describe.ts'
import { writerOf } from '../http/caller.ts'
import type { Env } from '../http/observe-requests.ts'
import { publicationIn } from '../http/publication-request.ts'
import type { AppDeps } from './app-deps.ts'

export function addPublishing(app: Hono<Env>, deps: AppDeps): void {
  app.put('/mcp/:reference', docs.publishRelease, async (c) => {
    const name = parseName(c.req.param('reference'))
    const actor = await writerOf(deps, c)
    const read = () => publicationIn(c, deps.bodies, { name, actor })
    const published = await publish(deps, actor, { name, read, signal: c.req.raw.signal })
    c.header('Location', `/mcp/${published.fqdn}`)
    c.header('ETag', `"${published.integrity}"`)
    return c.json(published, published.created ? 201 : 200)
  })
  app.delete('/mcp/:reference', docs.retireName, async (c) => {
    await retire(deps, await writerOf(deps, c), parseName(c.req.param('reference')))
    return c.body(null, 204)
  })
}

const name = inPath('reference', 'org.project.namespace.action, without a hash', 'acme.tools.text.shout')
const attributes = z.strictObject({
  description: z.string().optional().describe('What it does. Also as the header X-PML-Description.'),
  routing: routing.optional().describe('Where it runs. Also as the header X-PML-Routing.'),
  visibility: visibility.optional().describe('Who may read it. Also as the header X-PML-Visibility.'),
})
const release = named('Published', published)
const module = 'export default async ({ text }: { text: string }) => text.toUpperCase()\n'
const httpServer = {
  type: 'http',
  description: 'Searches the documentation of Acme',
  proxyTo: 'https://mcp.acme.example/mcp',
  tools: ['docs:search'],
}

const docs = describeRoutes('Publishing', {
  publishRelease: {
    summary: 'Publish a release',
    description:
      'The body is a self-contained TypeScript module of at most 1 MiB, or the document of a server. Publishing the same content again changes nothing.',
    access: { scope: 'publish:<pattern>' },
    parameters: [name, ...inQuery(attributes, { routing: 'client', visibility: 'public' })],
    body: {
      'application/typescript': { schema: text, example: module },
      ...json(named('PublishedDocument', publishedDocument), httpServer),
    },
    responses: {
      200: answer(release, 'The same content was already current'),
      201: answer(release, 'The release is now current'),
    },
    fails: [...bodyFails, 409],
  },
  retireName: {
    summary: 'Retire a name',
    description: 'Reads of the name get 410 from now on. Its releases stay readable by their integrity.',
    access: { scope: 'publish:<pattern>' },
    parameters: [name],
    responses: { 204: { description: 'The name is retired' } },
    fails: [400, 404, 409, 410],
  },
})
