import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openApiOf, operationsIn, type Operation } from '../../test/openapi.ts'
import { rootDir, stdDir } from '../../test/paths.ts'
import { startProxiedRegistry } from '../../test/proxy/proxied-registry.ts'
import { startUpstream, type Upstream } from '../../test/proxy/upstream.ts'
import type { TestRegistry } from '../../test/registry.ts'

type Headers = Record<string, string>
type Values = Readonly<Record<string, unknown>>

let upstream: Upstream
let registry: TestRegistry
let admin: Headers
let reviewer: Headers

beforeAll(async () => {
  upstream = await startUpstream((_request, response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'),
  )
  const policy = await readFile(`${rootDir}config/enforcement.json`, 'utf8')
  registry = await startProxiedRegistry(
    { deepwiki: { url: `http://127.0.0.1:${upstream.port}/mcp` } },
    { stdDir, configFiles: { 'approvals.json': '{}', 'enforcement.json': policy } },
  )
  admin = await registry.key('admin')
  const key = { name: 'reviewer', scopes: ['approve', 'pattern'], specialist: 'testguard' }
  reviewer = { Authorization: `Bearer ${(await post('/keys', key)).key}` }
})
afterAll(() => Promise.all([registry.stop(), upstream.stop()]))

async function post(path: string, body: unknown, headers = admin): Promise<Record<string, string>> {
  const response = await registry.fetch(path, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect(response.ok, text).toBe(true)
  return JSON.parse(text) as Record<string, string>
}

let blocked = 0
const block = (place: Values = { path: `src/${++blocked}.test.ts`, content: `content ${blocked}` }) =>
  post('/approvals/changes', { tool: 'Write', ...place })
async function blockedId() {
  return { id: (await block()).id }
}
/** Approves the content of an example for its path and project. */
async function approve(example: unknown) {
  const { path, project, content } = example as Values
  const { id } = await block({ path, project, content })
  await post(`/approvals/changes/${id}/approve`, { reason: 'Precise' }, reviewer)
  return {}
}
async function keyId() {
  return { id: (await post('/keys', { name: 'other', scopes: ['hook'] })).id }
}
async function patternId() {
  const pattern = { kind: 'block', type: 'any', pattern: 'skip', reason: 'No', example: 'it.skip' }
  return { id: (await post('/approvals/patterns', pattern, reviewer)).id }
}
async function integrity() {
  const metadata = await registry.fetch('/mcp/pml.std.filesystem.read_file/metadata')
  return { integrity: ((await metadata.json()) as Values)['integrity'] }
}

/** Values that an example cannot contain, such as ids and hashes. Merged into the path and the body. */
const given: Readonly<Record<string, (example: unknown) => Promise<Values>>> = {
  getBlob: integrity,
  blobGet: integrity,
  getChange: blockedId,
  approvalShow: blockedId,
  approveChange: blockedId,
  rejectChange: blockedId,
  spendApproval: approve,
  approvalSpend: approve,
  registryApproveChange: async () => {
    const { contentHash, path } = await block()
    return { content_hash: contentHash, blocked_file: path }
  },
  registryRejectChange: async () => ({ blocked_file: (await block()).path }),
  rotateKey: keyId,
  revokeKey: keyId,
  keyRotate: keyId,
  keyRevoke: keyId,
  removePattern: patternId,
  patternRemove: patternId,
  // addPattern has already added the example.
  registryAddPattern: async () => ({ pattern_type: 'documentation' }),
  getDocsFile: async () => {
    const html = await (await registry.fetch('/docs')).text()
    return { file: /\/docs\/([^"]+)/.exec(html)?.[1] }
  },
}

/** Decisions need another key than the one that asked. */
const reviews = new Set([
  'approveChange',
  'rejectChange',
  'addPattern',
  'removePattern',
  'patternRemove',
  'registryAddPattern',
  'registryApproveChange',
  'registryRejectChange',
])

/** Sends the documented request once for each body type, and returns the statuses. */
async function send({ path, method, operation }: { path: string; method: string; operation: Operation }) {
  const { operationId, parameters = [], requestBody, responses } = operation
  const statuses: string[] = []
  for (const [type, { example }] of Object.entries(requestBody?.content ?? { '': {} })) {
    const known = (await given[operationId]?.(example)) ?? {}
    const of = (place: string) =>
      parameters
        .filter((parameter) => parameter.in === place && parameter.example !== undefined)
        .map(({ name, example }): [string, string] => [name, String(known[name] ?? example)])
    const place = of('path').reduce((path, [name, value]) => path.replace(`{${name}}`, value), path)
    const query = new URLSearchParams(of('query'))
    const isJson = type === 'application/json'
    const response = await registry.fetch(`${place}?${query}`, {
      method,
      headers: {
        ...(reviews.has(operationId) ? reviewer : admin),
        Accept: Object.keys(responses['200']?.content ?? {}).join(', ') || '*/*',
        ...(type !== '' && { 'Content-Type': type }),
      },
      body: isJson
        ? JSON.stringify({ ...(example as Values), ...keysOf(example, known) })
        : (example as string),
    })
    const isDescribed = String(response.status) in responses
    const isEndless = response.headers.get('content-type') === 'text/event-stream'
    const text = isEndless ? await response.body?.cancel() : await response.text()
    statuses.push(isDescribed && response.status < 400 ? 'works' : `${response.status} ${text}`)
  }
  return statuses
}

/** Keeps the values whose names are in the example, because path ids do not belong in the body. */
function keysOf(example: unknown, known: Values): Values {
  return Object.fromEntries(Object.entries(known).filter(([key]) => key in (example as object)))
}

it('describes requests that work unchanged, except for ids and keys', async () => {
  const operations = operationsIn(await openApiOf(registry))
  expect(operations.map(({ operation }) => operation.operationId)).toEqual(
    expect.arrayContaining([...Object.keys(given), ...reviews]),
  )
  const broken: Record<string, string[]> = {}
  for (const one of operations) {
    const statuses = await send(one)
    if (statuses.some((status) => status !== 'works')) broken[one.operation.operationId] = statuses
  }
  expect(broken).toEqual({})
})
