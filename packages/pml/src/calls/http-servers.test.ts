import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { integrityOf, documentBytes, hexOf, type JsonObject } from '@pml/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startRegistry, type TestRegistry } from '../../../../apps/server/test/registry.ts'
import { openCatalog, type Catalog } from '../../test/catalog.ts'
import { startPeer, type Peer } from '../../test/peer.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'
import { serveWeb } from '../../test/web-server.ts'
import type { Pml } from '../index.ts'

const NAME = 'pml.mcp.web.server'

let registry: TestRegistry
let catalog: Catalog
let web: Awaited<ReturnType<typeof serveWeb>>
let seen: { url: string; headers: Headers }[]
let workspace: TestWorkspace
let pml: Pml

beforeAll(async () => {
  registry = await startRegistry()
  catalog = await openCatalog(registry)
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'web', version: '1' })
    server.registerTool('shout', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
      content: [{ type: 'text', text: text.toUpperCase() }],
    }))
    server.registerTool('fail', {}, () => ({ isError: true, content: [{ type: 'text', text: 'not today' }] }))
    return server
  })
  web = await serveWeb((request) => {
    seen.push({ url: request.url, headers: request.headers })
    return handler.fetch(request)
  })
})
afterAll(async () => {
  await registry.stop()
  await web.stop()
})
beforeEach(async () => {
  seen = []
  workspace = await makeWorkspace(registry.url)
  await workspace.writeConfig({ permissions: { allow: ['*'] } })
})
afterEach(() => workspace.remove())

const documentOf = (proxyTo: string, more: object = {}) => ({
  type: 'http',
  description: 'On the web',
  proxyTo,
  envRequired: [],
  tools: ['web:shout', 'web:fail'],
  ...more,
})

async function open(env: Record<string, string> = {}): Promise<Pml> {
  Object.assign(workspace.env, env)
  pml = await workspace.open()
  return pml
}

describe('a server on the web that the client reaches itself', () => {
  it('is spoken to by MCP, in one conversation for many calls', async () => {
    await catalog.document(NAME, documentOf(web.url.href))
    await open()
    expect(await pml.call('web:shout', { text: 'hello' })).toMatchObject({
      result: 'HELLO',
      content: [{ type: 'text', text: 'HELLO' }],
    })
    const greetings = seen.length
    await pml.call('web:shout', { text: 'again' })
    expect(seen.length - greetings).toBe(1)
    await expect(pml.call('web:fail')).rejects.toMatchObject({
      code: 'tool_failed',
      message: 'Cannot finish web:fail: not today',
    })
    await expect(pml.call('web:nothing')).rejects.toMatchObject({ name: 'PmlError' })
  })

  it('gets the variables in its address, which are shown nowhere', async () => {
    const proxyTo = `${web.url.href}?key=\${WEB_KEY}&fixed=1`
    await catalog.document(NAME, documentOf(proxyTo, { envRequired: ['WEB_KEY'] }))
    await open()
    const approval = await pml.call('web:shout', { text: 'x' })
    expect(approval).toMatchObject({ approvalType: 'api_key_required', missing: ['WEB_KEY'] })
    expect(seen).toEqual([])
    await open({ WEB_KEY: 'hunter2&more=1' })
    const { workflowId } = approval as { workflowId: string }
    const called = await pml.continueWorkflow({ workflowId, approved: true })
    expect(called).toMatchObject({ result: 'X' })
    expect(new URL(seen[0]?.url ?? '').searchParams.get('key')).toBe('hunter2&more=1')
    expect(JSON.stringify([called, workspace.told])).not.toContain('hunter2')
  })

  it('is not spoken to in the open off this machine', async () => {
    await catalog.document(NAME, documentOf('http://web.example.org/mcp'))
    await open()
    await expect(pml.call('web:shout', { text: 'x' })).rejects.toMatchObject({
      name: 'PmlError',
      message: expect.stringMatching(/expected.*https/),
    })
  })

  it('that does not exist is an error', async () => {
    const gone = await startPeer((response) => response.end())
    await gone.stop()
    await catalog.document(NAME, documentOf(`${gone.url}/mcp`))
    await open()
    await expect(pml.call('web:shout', { text: 'x' })).rejects.toMatchObject({
      code: 'server_failed',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

/** A registry that serves one document, whatever it is, and notes what else it is asked. */
function startSmallRegistry(document: JsonObject): Promise<Peer> {
  const integrity = integrityOf(documentBytes(document))
  const fqdn = `${NAME}.${hexOf(integrity).slice(0, 4)}`
  return startPeer((response, { path = '' }) => {
    if (path === `/mcp/${NAME}`) return response.writeHead(302, { location: `/mcp/${fqdn}` }).end()
    if (!path.startsWith('/mcp/')) return response.writeHead(404).end('{}')
    const headers = {
      etag: `"${integrity}"`,
      'x-pml-type': 'http',
      'x-pml-routing': String(document['routing']),
      'x-pml-fqdn': fqdn,
    }
    response.writeHead(200, headers).end(JSON.stringify({ ...document, fqdn, integrity }))
  })
}

describe('headers of a server on the web', () => {
  it('are filled from the environment and go to that server alone', async () => {
    const headers = { Authorization: 'Bearer ${WEB_KEY}', 'X-Fixed': 'yes' }
    const document = { ...documentOf(web.url.href, { envRequired: ['WEB_KEY'], headers }), routing: 'client' }
    const small = await startSmallRegistry(document)
    await open({ PML_REGISTRY_URL: small.url, WEB_KEY: 'hunter2' })
    await pml.fetch(NAME)
    expect(await pml.call('web:shout', { text: 'x' })).toMatchObject({ result: 'X' })
    for (const { headers: sent } of seen) {
      expect(sent.get('authorization')).toBe('Bearer hunter2')
      expect(sent.get('x-fixed')).toBe('yes')
    }
    expect(JSON.stringify(small.seen)).not.toContain('hunter2')
    await small.stop()
  })
})

describe('a server on the web that the registry reaches', () => {
  it('is called at the registry, with its key, and the document keeps its secrets', async () => {
    const small = await startSmallRegistry({
      ...documentOf('https://web.example.org/mcp'),
      routing: 'server',
    })
    await open({ PML_REGISTRY_URL: small.url, PML_API_KEY: 'pml_a_b' })
    await pml.fetch(NAME)
    await expect(pml.call('web:shout', { text: 'x' })).rejects.toMatchObject({ code: 'server_failed' })
    const proxied = small.seen.filter(({ path }) => path?.startsWith('/proxy/'))
    expect(proxied[0]).toMatchObject({
      method: 'POST',
      path: expect.stringMatching(/^\/proxy\/pml\.mcp\.web\.server\.[0-9a-f]{4}$/),
      headers: { authorization: 'Bearer pml_a_b' },
    })
    await small.stop()
  })

  it('cannot be called without a key, and says which', async () => {
    const small = await startSmallRegistry({
      ...documentOf('https://web.example.org/mcp'),
      routing: 'server',
    })
    await open({ PML_REGISTRY_URL: small.url })
    await pml.fetch(NAME)
    await expect(pml.call('web:shout', { text: 'x' })).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(/proxy:pml\.mcp\.web\.server; set PML_API_KEY/),
    })
    expect(small.seen.filter(({ path }) => path?.startsWith('/proxy/'))).toEqual([])
    await small.stop()
  })
})
