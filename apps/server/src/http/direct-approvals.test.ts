import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, block, callerWith, type Caller } from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

let direct: TestRegistry
let routed: TestRegistry
let hook: Caller
let guard: Caller
let publisher: Caller
let revoked: Caller

beforeAll(async () => {
  direct = await startRegistry()
  // Where reads are counted everything goes through the routes.
  routed = await startRegistry({ databaseUrl: direct.databaseUrl, readsPerMinute: 1_000_000 })
  hook = await callerWith(direct, ['hook'])
  guard = await callerWith(direct, ['approve'], 'guard')
  publisher = await callerWith(direct, ['publish:*'])
  revoked = await callerWith(direct, ['hook'])
  await (await callerWith(direct, ['admin'])).send('DELETE', `/keys/${revoked.id}`)
})
afterAll(async () => {
  await routed.stop()
  await direct.stop()
})

/** All that a caller sees, but for what differs from one answer to the next. */
async function seen(registry: TestRegistry, path: string, init: RequestInit) {
  const response = await registry.fetch(path, init)
  const headers = Object.fromEntries(response.headers)
  for (const name of ['date', 'connection', 'keep-alive', 'transfer-encoding']) delete headers[name]
  headers['x-request-id'] &&= 'some'
  return { status: response.status, headers, body: await response.text() }
}

const json = { 'Content-Type': 'application/json' }
const keyed = ({ key }: Caller) => ({ Authorization: `Bearer ${key}` })

describe('a check past the routes is answered as by them', () => {
  it.each([
    ['approved', () => hook],
    ['for a specialist', () => guard],
    ['without the scope', () => publisher],
    ['with a revoked key', () => revoked],
  ])('%s', async (_what, caller) => {
    const { id, contentHash } = await block(hook)
    await approve(guard, id)
    const path = `/approvals/check?hash=${contentHash}`
    for (const init of [{ headers: keyed(caller()) }, { headers: keyed(caller()), method: 'HEAD' }])
      expect(await seen(direct, path, init)).toEqual(await seen(routed, path, init))
  })

  it.each([
    '/approvals/check?hash=sha256-00',
    '/approvals/check?hash=',
    '/approvals/check',
    '/approvals/check?hash',
  ])('of %s', async (path) => {
    const init = { headers: keyed(hook) }
    expect(await seen(direct, path, init)).toEqual(await seen(routed, path, init))
    expect(await seen(direct, path, {})).toEqual(await seen(routed, path, {}))
  })
})

describe('a spend past the routes is answered as by them', () => {
  it('when it passes', async () => {
    const answers = []
    for (const registry of [direct, routed]) {
      const { id, content, path } = await block(hook)
      await approve(guard, id)
      const init = {
        method: 'POST',
        headers: { ...json, ...keyed(hook) },
        body: JSON.stringify({ content, path }),
      }
      const answer = await seen(registry, '/approvals/spend', init)
      answers.push({ ...answer, body: answer.body.replace(id, 'id') })
    }
    expect(answers[0]).toMatchObject({ status: 200, body: expect.stringContaining('"approved":true') })
    expect(answers[0]).toEqual(answers[1])
  })

  const body = JSON.stringify({ content: 'nobody approved this', path: 'a.ts' })
  it.each<[string, () => RequestInit]>([
    ['when nobody approved it', () => ({ headers: { ...json, ...keyed(hook) }, body })],
    [
      'with a token that is none',
      () => ({ headers: { ...json, ...keyed(hook) }, body: body.replace('}', ',"token":"x"}') }),
    ],
    ['without a key', () => ({ headers: json, body })],
    ['with a revoked key', () => ({ headers: { ...json, ...keyed(revoked) }, body })],
    ['without the scope', () => ({ headers: { ...json, ...keyed(guard) }, body })],
    ['without the scope and without JSON', () => ({ headers: { ...json, ...keyed(guard) }, body: '{' })],
    ['with half a JSON', () => ({ headers: { ...json, ...keyed(hook) }, body: '{"content":' })],
    [
      'with a key twice',
      () => ({ headers: { ...json, ...keyed(hook) }, body: '{"path":"a","path":"b","content":""}' }),
    ],
    ['with something missing', () => ({ headers: { ...json, ...keyed(hook) }, body: '{"content":"a"}' })],
    ['with another type', () => ({ headers: { 'Content-Type': 'text/plain', ...keyed(hook) }, body })],
    [
      'that is large',
      () => ({
        headers: { ...json, ...keyed(hook) },
        body: JSON.stringify({ content: 'x'.repeat(100_000), path: 'a' }),
      }),
    ],
    [
      'that is too large',
      () => ({
        headers: { ...json, ...keyed(hook) },
        body: JSON.stringify({ content: 'x'.repeat(1_100_000), path: 'a' }),
      }),
    ],
  ])('%s', async (_what, init) => {
    const [one, two] = [
      await seen(direct, '/approvals/spend', { method: 'POST', ...init() }),
      await seen(routed, '/approvals/spend', { method: 'POST', ...init() }),
    ]
    expect(one.status).toBeGreaterThanOrEqual(400)
    expect(one).toEqual(two)
  })
})
