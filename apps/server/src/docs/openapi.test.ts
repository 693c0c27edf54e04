import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiOf, operationsIn, type OpenApi } from '../../test/openapi.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { createApp } from '../app.ts'
import type { AppDeps } from '../routes/app-deps.ts'

let registry: TestRegistry
let document: OpenApi

beforeAll(async () => {
  registry = await startRegistry({ publicUrl: 'https://registry.example.org' })
  document = await openApiOf(registry)
})
afterAll(() => registry.stop())

const isTool = (route: string) => /^POST \/tools\/./.test(route)

describe('/openapi.json', () => {
  it('describes exactly the routes of the app', () => {
    const described = operationsIn(document).map(({ method, path }) => `${method} ${path}`)
    expect(described.filter(isTool)).toContain('POST /tools/catalog_get')
    const routed = createApp({} as AppDeps)
      .routes.filter(({ method }) => !['ALL', 'OPTIONS'].includes(method))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    const routes = [...new Set(routed)].filter((route) => !isTool(route))
    expect(described.filter((route) => !isTool(route)).toSorted()).toEqual(routes.toSorted())
    expect(document.openapi).toBe('3.1.0')
    expect(document.servers).toEqual([{ url: 'https://registry.example.org' }])
  })

  it("passes redocly's recommended rules, and its examples match their schemas", async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const lint = async (source: unknown) => {
      const problems = await lintFromString({ source: JSON.stringify(source), config })
      return problems.map(({ ruleId, message, location: [at] }) => `${ruleId}: ${message} ${at?.pointer}`)
    }
    expect(await lint(document)).toEqual([])
    expect(await lint({ ...document, servers: [] })).toEqual([expect.stringContaining('no-empty-servers')])
  })

  it('references every component, only existing ones, and declares every path parameter', () => {
    const referred = new Set(
      [...JSON.stringify(document).matchAll(/#\/components\/(\w+\/\w+)/g)].map(([, name]) => name),
    )
    const { securitySchemes: _used, ...components } = document.components
    const known = Object.entries(components).flatMap(([kind, of]) =>
      Object.keys(of).map((name) => `${kind}/${name}`),
    )
    expect([...referred].toSorted()).toEqual(known.toSorted())
    for (const { path, operation } of operationsIn(document)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const named = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect(named.map(({ name }) => name)).toEqual(inPath)
    }
  })

  it('gives every operation an id, a tag, security, request examples and response schemas', () => {
    const tags = document.tags.map(({ name }) => name)
    const ids = operationsIn(document).map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, method, operation } of operationsIn(document)) {
      const where = `${method} ${path}`
      expect(operation.operationId, where).toMatch(/^[a-z]+([A-Z][a-z]*)*$/)
      expect(tags, where).toContain(operation.tags.join())
      expect(operation.security, where).toBeInstanceOf(Array)
      for (const parameter of operation.parameters ?? [])
        if (parameter.required) expect(parameter, where).toHaveProperty('example')
      for (const body of Object.values(operation.requestBody?.content ?? {}))
        expect(Object.keys(body), where).toEqual(['schema', 'example'])
      for (const response of Object.values(operation.responses))
        for (const body of Object.values(response.content ?? {})) expect(body, where).toHaveProperty('schema')
    }
  })

  it('marks the operations that need no key', () => {
    const open = operationsIn(document).filter(({ operation }) => operation.security.length === 0)
    expect(open.map(({ path }) => path).toSorted()).toEqual([
      '/',
      '/api/registry',
      '/api/registry/{reference}',
      '/audit/key',
      '/docs',
      '/docs/{file}',
      '/healthz',
      '/metrics',
      '/openapi.json',
      '/readyz',
    ])
  })
})
