import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDatabase } from '../../apps/server/test/database.ts'
import { startRegistry } from '../../bench/registry/start-registry.ts'
import { root } from '../../bench/root.ts'
import { createStops } from '../../bench/stops.ts'
import { cases } from './cases.ts'
import { sendBytes, type Answer, type SendBytes } from './exchange.ts'
import { printOutcome } from './print-outcome.ts'
import { run } from './run.ts'
import { createWorld, type World } from './world.ts'

const stops = createStops()
let world: World

beforeAll(async () => {
  const databaseUrl = await createDatabase()
  const { url, adminKey } = await startRegistry(stops, { databaseUrl, env: { PML_TRUST_PROXY: 'true' } })
  world = await createWorld({ url, adminKey, root })
})
afterAll(() => stops.run())

describe('the registry under random requests', () => {
  it.each([20_261, 31])('keeps every property with seed %i', async (seed) => {
    const limits = { seed, requests: 800, seconds: 7, shrinkSeconds: 10 }
    const outcome = await run(world, limits, sendBytes)
    expect(outcome.failure, printOutcome(outcome, limits)).toBeUndefined()
    expect(outcome.sent).toBeGreaterThan(40)
  })
})

it('generates the same cases from the same seed, and others from another', () => {
  const printed = (seed: number) => fc.sample(cases(world), { seed, numRuns: 50 }).map(({ print }) => print())
  expect(printed(7)).toEqual(printed(7))
  expect(printed(8)).not.toEqual(printed(7))
})

describe('a registry that violates a property', () => {
  const withHeader = (name: string, change: (value: string) => string | undefined) => (answer: Answer) => {
    const old = answer.headers.get(name)
    if (old === undefined) return answer
    const value = change(old)
    const rest = [...answer.headers].filter(([other]) => other !== name)
    return { ...answer, headers: new Map(value === undefined ? rest : [...rest, [name, value] as const]) }
  }
  const withBody = (change: (text: string) => string) => (answer: Answer) => ({
    ...answer,
    body: Buffer.from(change(answer.body.toString('latin1')), 'latin1'),
  })

  it.each<[string, string | RegExp, (answer: Answer) => Answer]>([
    [
      '5xx',
      'never fails with a 5xx',
      (answer) => ({ ...answer, status: answer.status === 404 ? 500 : answer.status }),
    ],
    ['ETag', /etag|ETag/, withHeader('etag', () => '"x"')],
    ['digest', 'Repr-Digest is that of the body', withHeader('repr-digest', () => 'sha-256=:x:')],
    [
      'text for an error',
      'an error is JSON {error, message} with',
      withBody((text) => text.replace('{"error"', 'error')),
    ],
    [
      'unknown code',
      'an error is JSON {error, message} with',
      withBody((text) => text.replace('not_found', 'missing')),
    ],
    [
      'stack',
      'no error shows a stack',
      withBody((text) => text.replace('"message":"', '"message":"\\n   at x.js:1')),
    ],
    [
      'mismatch',
      'a wrong hash is 404 hash_mismatch',
      withBody((text) => text.replace('currentFqdn', 'fqdn')),
    ],
    ['no Allow', '405 has Allow', withHeader('allow', () => undefined)],
    ['no CORS', 'any page may read', withHeader('access-control-allow-origin', () => undefined)],
    ['request id', 'an error has a request id', withHeader('x-request-id', () => undefined)],
  ])('is caught: %s', async (_, property, tamper) => {
    const tampered: SendBytes = async (url, exchange) => (await sendBytes(url, exchange)).map(tamper)
    const { failure } = await run(world, { seed: 1, requests: 5000, seconds: 30, shrinkSeconds: 1 }, tampered)
    expect(failure?.property).toMatch(property)
    expect(failure?.requests).toContain(world.url)
  })
})
