import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrationsDir } from '../../test/paths.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { createApp, type AppDeps } from '../app.ts'
import { VERSION } from '../version.ts'

let registry: TestRegistry

beforeAll(async () => {
  registry = await startRegistry({ publicUrl: 'https://registry.example.org' })
})
afterAll(() => registry.stop())

describe('/openapi.json', () => {
  it('describes every route of the table and no other', async () => {
    const { paths, openapi, servers } = (await (await registry.fetch('/openapi.json')).json()) as {
      openapi: string
      servers: { url: string }[]
      paths: Record<string, Record<string, unknown>>
    }
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const isTool = (route: string) => /^POST \/tools\/./.test(route)
    expect(described.filter(isTool)).toContain('POST /tools/catalog_get')
    const app = createApp({} as AppDeps)
    const routed = app.routes
      .filter(({ method }) => !['ALL', 'OPTIONS'].includes(method))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    expect(described.filter((route) => !isTool(route)).toSorted()).toEqual(
      routed.filter((route) => !isTool(route)).toSorted(),
    )
    expect(openapi).toBe('3.1.0')
    expect(servers).toEqual([{ url: 'https://registry.example.org' }])
  })

  it('refers only to schemas that exist, and names every path parameter', async () => {
    const text = await (await registry.fetch('/openapi.json')).text()
    const document = JSON.parse(text) as {
      components: { schemas: object }
      paths: Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>
    }
    const referred = new Set([...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name))
    expect([...referred].toSorted()).toEqual(Object.keys(document.components.schemas).toSorted())
    for (const [path, methods] of Object.entries(document.paths)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      for (const { parameters = [] } of Object.values(methods)) {
        expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(
          inPath,
        )
      }
    }
  })
})

it('has the version of the package', async () => {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  expect((JSON.parse(manifest) as { version: string }).version).toBe(VERSION)
})

describe('/docs', () => {
  it('is one page that may run only its own script and reach only its own server', async () => {
    const response = await registry.fetch('/docs')
    const html = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    for (const tag of ['script', 'style']) {
      const inline = new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`).exec(html)?.[1] ?? ''
      expect(inline.length).toBeGreaterThan(500)
      expect(policy).toContain(`${tag}-src 'sha256-${createHash('sha256').update(inline).digest('base64')}'`)
    }
    expect(policy).toContain("default-src 'none'")
    expect(html).not.toMatch(/(?:src|href)="https?:/)
    expect((await registry.fetch('/')).headers.get('location')).toBe('/docs')
  })
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

  it('are not ready when the database has migrations of another version', async () => {
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

  it('keep a fault to the log: the caller gets an id and nothing else', async () => {
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

  it('give every request that is not a cached read an id of its own', async () => {
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
