import type { Bench } from '../bench.ts'
import type { LineName } from '../lines.ts'
import type { LoadRequest } from '../load/load-order.ts'
import { sideBySide } from '../load/side-by-side.ts'
import { againstBare, type Case } from '../peers/against-bare.ts'
import { PACKAGE } from '../peers/packument.ts'
import { startVerdaccio } from '../peers/start-verdaccio.ts'
import { publishModules } from './publish-modules.ts'
import { startRegistry, type Registry } from './start-registry.ts'

const VERDACCIO_WARM_UP_REQUESTS = 2000
/** The maximum difference in size between verdaccio's response and ours. */
const SIZE_TOLERANCE = 0.1

/** Reads from memory, compared with servers that do less (bare) and more (verdaccio). */
export async function measureReads(bench: Bench): Promise<void> {
  const names: LineName[] = [
    'read-200',
    'read-304',
    'redirect-302',
    'catalog-50',
    'tool-call',
    'mcp-call',
    'vs-verdaccio',
  ]
  if (!names.some((name) => bench.wanted.has(name))) return
  bench.tell('starting a registry with 60 modules')
  const registry = await startRegistry(bench.stops)
  const [fqdn = ''] = await publishModules(registry)
  for (const one of await casesOf(registry, fqdn)) {
    if (bench.wanted.has(one.name)) await againstBare(bench, registry, one)
  }
  if (bench.wanted.has('vs-verdaccio')) await againstVerdaccio(bench, registry, `/mcp/${fqdn}`)
}

async function casesOf(registry: Registry, fqdn: string): Promise<Case[]> {
  const path = `/mcp/${fqdn}`
  const etag = (await fetch(registry.url + path)).headers.get('etag') ?? ''
  const name = fqdn.slice(0, fqdn.lastIndexOf('.'))
  return [
    { name: 'read-200', request: { path }, status: 200 },
    { name: 'read-304', request: { path, headers: { 'If-None-Match': etag } }, status: 304 },
    { name: 'redirect-302', request: { path: `/mcp/${name}` }, status: 302 },
    { name: 'catalog-50', request: { path: '/mcp?limit=50' }, status: 200 },
    { name: 'tool-call', request: toolCall(name), status: 200 },
    { name: 'mcp-call', request: mcpCall(name), status: 200 },
  ]
}

/** Responses that contain the request id are equal if the requests have the same id. */
const named = { 'Content-Type': 'application/json', 'X-Request-Id': 'bench' }

function toolCall(name: string): LoadRequest {
  return { path: '/tools/catalog_get', headers: named, body: JSON.stringify({ name }) }
}

/** The headers of a client of the newest revision. */
function mcpCall(name: string): LoadRequest {
  const revision = '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'catalog_get', arguments: { name }, _meta: meta }
  const headers = {
    ...named,
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': revision,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'catalog_get',
  }
  return {
    path: '/mcp',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  }
}

async function againstVerdaccio(bench: Bench, registry: Registry, path: string): Promise<void> {
  const ourBytes = await sizeOf(registry.url + path)
  const verdaccio = await startVerdaccio(ourBytes, bench)
  const theirBytes = await sizeOf(`${verdaccio.url}/${PACKAGE}`)
  bench.tell(`vs-verdaccio: ${ourBytes} bytes against ${theirBytes}`)
  if (Math.abs(theirBytes / ourBytes - 1) > SIZE_TOLERANCE)
    throw new Error('Cannot compare with verdaccio: its answer has another size')
  const figure = await sideBySide(bench, 'vs-verdaccio', {
    warmUpRequests: VERDACCIO_WARM_UP_REQUESTS,
    ours: () => ({ ...registry, name: 'registry', requests: [{ path }], status: 200 }),
    peer: () => ({ ...verdaccio, name: 'verdaccio', requests: [{ path: `/${PACKAGE}` }], status: 200 }),
  })
  bench.report('vs-verdaccio', figure)
}

async function sizeOf(url: string): Promise<number> {
  return (await (await fetch(url)).arrayBuffer()).byteLength
}
