import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrationsDir } from '../../test/paths.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { VERSION } from '../version.ts'

let registry: TestRegistry

beforeAll(async () => {
  registry = await startRegistry({ publicUrl: 'https://registry.example.org' })
})
afterAll(() => registry.stop())

it('serves the version of the package', async () => {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  expect((JSON.parse(manifest) as { version: string }).version).toBe(VERSION)
})

describe('/docs', () => {
  it('runs only scripts of its own server and reaches only that server', async () => {
    const response = await registry.fetch('/docs')
    const policy = response.headers.get('content-security-policy') ?? ''
    const directives = Object.fromEntries(policy.split('; ').map((directive) => directive.split(/ (.*)/)))
    expect(directives).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self' 'unsafe-inline'",
      'connect-src': "'self'",
      'img-src': "'self' data:",
      'font-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    })
    const html = await response.text()
    expect(html).not.toMatch(/<script(?![^>]* src="\/docs\/)/)
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    expect((await registry.fetch('/')).headers.get('location')).toBe('/docs')
  })

  it('loads files that browsers can cache, because their names change with their content', async () => {
    const html = await (await registry.fetch('/docs')).text()
    const files = [...html.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(files.length).toBe(3)
    for (const path of files) {
      const plain = await registry.fetch(path, { headers: { 'Accept-Encoding': 'identity' } })
      const bytes = Buffer.from(await plain.arrayBuffer())
      expect(path).toContain(createHash('sha256').update(bytes).digest('hex').slice(0, 16))
      expect(plain.headers.get('content-type')).toMatch(/^text\/(?:javascript|css); charset=utf-8$/)
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      const packed = await registry.fetch(path, { headers: { 'Accept-Encoding': 'gzip' } })
      expect(packed.headers.get('content-encoding')).toBe('gzip')
      expect(Buffer.from(await packed.arrayBuffer()).equals(bytes)).toBe(true)
      const refused = await registry.fetch(path, { headers: { 'Accept-Encoding': 'gzip;q=0' } })
      expect(refused.headers.get('content-encoding')).toBeNull()
    }
  })

  it.each(['index.html', 'scalar.js', '..%2f..%2fmain.js', 'reference.js.gz'])(
    'has no file %s',
    async (name) => {
      expect((await registry.fetch(`/docs/${name}`)).status).toBe(404)
    },
  )
})

describe('operations', () => {
  it('report health, readiness and metrics', async () => {
    expect(await (await registry.fetch('/healthz')).json()).toEqual({ status: 'ok' })
    expect(await (await registry.fetch('/readyz')).json()).toEqual({
      status: 'ready',
      checks: { database: 'ok', migrations: 'ok', config: 'ok' },
    })
    await registry.fetch('/mcp')
    await registry.fetch('/mcp')
    const metrics = await (await registry.fetch('/metrics')).text()
    expect(metrics).toMatch(/pml_request_duration_seconds_count\{route="\/mcp",method="GET",status="200"\} 2/)
    expect(metrics).toMatch(/pml_database_up 1/)
    expect(metrics).toMatch(/process_resident_memory_bytes \d+/)
  })

  it('are not ready if the database has migrations of another version', async () => {
    const known = (await readdir(migrationsDir)).length
    await registry.db.sql`insert into migration (name, checksum) values ('9999_from_the_future.sql', 'x')`
    const bare = await registry.fetch('/readyz')
    expect([bare.status, await bare.json()]).toMatchObject([503, { checks: { migrations: 'failing' } }])
    const response = await registry.fetch('/readyz', { headers: await registry.key('admin') })
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { status: 'not ready', checks: { migrations: `expected ${known} applied, found ${known + 1}` } },
    ])
    await registry.db.sql`delete from migration where name like '9999%'`
  })

  it('log an internal error and return only its request id', async () => {
    await registry.db.sql`alter table publication rename to publication_gone`
    const headers = {
      ...(await registry.key('admin')),
      'Content-Type': 'application/typescript',
      'X-Request-Id': 'trace-me-7',
    }
    const response = await registry.fetch('/mcp/acme.fault.in.here', {
      method: 'PUT',
      body: 'export default 1\n',
      headers,
    })
    const text = await response.text()
    expect([response.status, JSON.parse(text)]).toEqual([
      500,
      { error: 'internal_error', message: expect.stringContaining('trace-me-7'), requestId: 'trace-me-7' },
    ])
    expect(text).not.toMatch(/publication|insert|\.ts|\/src\//)
    expect(
      registry.log.find((line) => line.includes('trace-me-7') && line.includes('publication')),
    ).toBeDefined()
    await registry.db.sql`alter table publication_gone rename to publication`
    expect((await registry.fetch('/mcp/acme.fault.in.here')).status).toBe(404)
  })

  it('give every request a unique id, except cached reads', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await registry.fetch('/nothing')).headers.get('x-request-id')),
    )
    expect(new Set(ids).size).toBe(2)
    const forged = await registry.fetch('/nothing', {
      headers: { 'X-Request-Id': 'has spaces and "quotes"' },
    })
    expect(forged.headers.get('x-request-id')).toMatch(/^[\w-]+$/)
  })
})
