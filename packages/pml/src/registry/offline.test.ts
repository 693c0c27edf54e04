import { rm } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTamperingProxy, type TamperingProxy } from '../../test/tampering-proxy.ts'
import { entries, startSmallCatalog, type EntryType, type SmallCatalog } from '../../test/small-catalog.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'
import type { Fetched } from '../index.ts'

const types = Object.keys(entries) as EntryType[]

let catalog: SmallCatalog
/** The registry as this test's workspace knows it; stopping it is how a registry goes. */
let door: TamperingProxy
let workspace: TestWorkspace

beforeAll(async () => {
  catalog = await startSmallCatalog()
})
afterAll(() => catalog.stop())
beforeEach(async () => {
  door = await startTamperingProxy(catalog.registry.url)
  workspace = await makeWorkspace(door.url)
})
afterEach(async () => {
  await workspace.remove()
  await door.stop()
})

async function fetchJson(reference: string, ...flags: string[]) {
  const { exit, stdout, stderr } = await workspace.run(['fetch', reference, '--json', ...flags])
  return { exit, stderr, ...(JSON.parse(stdout) as Record<string, unknown>) }
}

describe.each(types)('a %s entry that is locked and cached', (type) => {
  const name = entries[type]

  it('works when the registry is gone, and says so', async () => {
    const { content } = (await fetchJson(name)) as { content?: string }
    await door.stop()
    const again = await fetchJson(name)
    expect(again).toMatchObject({ exit: 0, content, lock: 'same' })
    expect(again.stderr).toMatch(/The registry cannot be reached; using the locked and cached /)
  })

  it.each([500, 503])('works when the registry fails with %i and says so itself', async (status) => {
    const { content } = (await fetchJson(name)) as { content?: string }
    door.tamper((answer) => {
      answer.status = status
      answer.headers = { 'content-type': 'application/json' }
      answer.body = Buffer.from('{"error":"internal_error","message":"Something broke"}')
    })
    const again = await fetchJson(name)
    expect(again).toMatchObject({ exit: 0, content, lock: 'same' })
    expect(again.stderr).toContain('using the locked and cached')
  })

  it('works with --offline without any request', async () => {
    const { fqdn } = (await fetchJson(name)) as { fqdn?: string }
    door.seen.length = 0
    for (const reference of [name, fqdn ?? '']) {
      const outcome = await fetchJson(reference, '--offline')
      expect(outcome).toMatchObject({ exit: 0, fqdn, stderr: '' })
    }
    expect(door.seen).toEqual([])
  })

  it('costs one request with If-None-Match, and one answer without a body', async () => {
    const pml = await workspace.open()
    const { fqdn, integrity } = (await pml.fetch(name)) as Fetched
    const statuses: number[] = []
    door.tamper(({ status, body }) => statuses.push(status, body.length))
    door.seen.length = 0
    expect(await pml.fetch(name)).toMatchObject({ lock: 'same', integrity })
    expect(door.seen).toMatchObject([
      { method: 'GET', path: `/mcp/${fqdn}`, headers: { 'if-none-match': `"${integrity}"` } },
    ])
    expect(statuses).toEqual([304, 0])
    door.seen.length = 0
    expect(await workspace.run(['fetch', fqdn])).toMatchObject({ exit: 0 })
    expect(door.seen).toHaveLength(1)
  })

  it('works after it was retired, from the cache or from its blob', async () => {
    const { fqdn, content } = (await fetchJson(name)) as { fqdn?: string; content?: string }
    door.tamper((answer, path) => {
      if (!path.startsWith('/mcp/')) return
      answer.status = 410
      answer.headers = { 'content-type': 'application/json' }
      answer.body = Buffer.from(JSON.stringify({ error: 'gone', message: 'retired' }))
    })
    for (const step of ['cached', 'from its blob', 'cached again']) {
      if (step === 'from its blob') await rm(workspace.cacheDir, { recursive: true })
      const again = await fetchJson(name)
      expect(again, step).toMatchObject({ exit: 0, content })
      expect(again.stderr).toContain(`${fqdn} was retired from the registry; using the locked release`)
    }
    expect(door.seen.filter(({ path }) => path?.startsWith('/blobs/'))).toHaveLength(1)
  })
})

describe('what is locked and not cached', () => {
  beforeEach(async () => {
    await fetchJson(entries.deno)
    await rm(workspace.cacheDir, { recursive: true })
  })

  it('is a clear error offline', async () => {
    const outcome = await fetchJson(entries.deno, '--offline')
    expect(outcome).toMatchObject({ exit: 6, error: 'unavailable' })
    expect(outcome).toHaveProperty(
      'message',
      expect.stringMatching(/it is locked, but not cached; run "pml sync"/),
    )
  })

  it('is a clear error when the registry is gone', async () => {
    await door.stop()
    expect(await fetchJson(entries.deno)).toMatchObject({
      exit: 6,
      message: expect.stringContaining('the connection was refused'),
    })
    expect(await workspace.run(['lock', 'verify'])).toMatchObject({ exit: 6 })
  })

  it('is cached again by the next fetch, so that it works offline from then on', async () => {
    expect(await fetchJson(entries.deno)).toMatchObject({ exit: 0, lock: 'same' })
    expect(await fetchJson(entries.deno, '--offline')).toMatchObject({ exit: 0 })
  })
})

describe('what is not locked', () => {
  it('is a clear error offline, by any of its names', async () => {
    for (const reference of [entries.deno, `${entries.deno}.abcd`, 'text:shout', 'memory']) {
      const outcome = await fetchJson(reference, '--offline')
      expect(outcome).toMatchObject({ exit: 6, error: 'unavailable' })
      expect(outcome).toHaveProperty('message', expect.stringContaining('leave out --offline'))
    }
    expect(door.seen).toEqual([])
  })

  it('cannot be fetched after it was retired', async () => {
    const name = 'acme.tools.text.retired'
    await catalog.publish(name, 'export default () => 1\n')
    await catalog.retire(name)
    expect(await fetchJson(name)).toMatchObject({ exit: 1, error: 'gone' })
  })
})

describe('a module', () => {
  it('runs from the cache when the registry is gone', async () => {
    await workspace.writeConfig({ permissions: { allow: ['text:shout'] } })
    expect(await workspace.run(['run', 'text:shout', '--json'])).toMatchObject({ exit: 0 })
    await door.stop()
    for (const flags of [[], ['--offline']]) {
      const { exit, stdout } = await workspace.run(['run', 'text:shout', '--json', ...flags])
      expect({ exit, ...JSON.parse(stdout) }).toMatchObject({ exit: 0, result: 'loud' })
    }
  })
})
