import { describe, expect, it } from 'vitest'
import { findForeign, type AllowedSources } from './find-foreign.ts'

const codeOf = (headers: Record<string, string>, allowed: AllowedSources) =>
  findForeign(new Headers(headers), allowed)?.code

const registry: AllowedSources = {
  allowedHosts: ['registry.example'],
  allowedOrigins: ['https://ui.example'],
}

describe('a request without Origin, which does not come from a browser', () => {
  it.each([
    'registry.example',
    'registry.example:8443',
    'REGISTRY.example',
    'localhost:80',
    '127.0.0.1',
    '[::1]:3',
  ])('passes for %s', (host) => expect(codeOf({ host }, registry)).toBeUndefined())

  it.each([
    'evil.example',
    'registry.example.evil.example',
    'localhost.evil.example',
    '10.0.0.7',
    'not a host',
    '',
  ])('is refused for %j', (host) => expect(codeOf({ host }, registry)).toBe('foreign_origin'))

  it('is refused without a Host if hosts are known', () => {
    expect(codeOf({}, registry)).toBe('foreign_origin')
  })

  it('passes for any host if no host is known', () => {
    expect(codeOf({ host: 'proxy.internal' }, {})).toBeUndefined()
    expect(codeOf({}, {})).toBeUndefined()
  })

  it('must use the port if one is configured', () => {
    const allowed = { allowedHosts: ['registry.example:8443'] }
    expect(codeOf({ host: 'registry.example:8443' }, allowed)).toBeUndefined()
    expect(codeOf({ host: 'registry.example:9000' }, allowed)).toBe('foreign_origin')
  })
})

describe('a request from a web page', () => {
  it.each([
    ['registry.example', 'https://registry.example'],
    ['registry.example', 'https://ui.example'],
    ['registry.example', 'https://ui.example:443'],
    ['localhost:3000', 'http://localhost:3000'],
    ['127.0.0.1:3000', 'http://localhost:5173'],
    ['localhost:3000', 'http://[::1]:5173'],
    ['[::1]:3000', 'https://127.0.0.1'],
  ])('to %s from %s passes', (host, origin) => {
    expect(codeOf({ host, origin }, registry)).toBeUndefined()
  })

  it.each([
    ['registry.example', 'https://evil.example'],
    ['registry.example', 'http://ui.example'],
    ['registry.example', 'https://ui.example:8443'],
    ['registry.example', 'http://localhost:5173'],
    ['registry.example', 'null'],
    ['registry.example', 'file://'],
    ['registry.example', ''],
    ['localhost:3000', 'http://localhost.evil.example:3000'],
    ['localhost:3000', 'https://registry.example'],
  ])('to %s from %j is refused', (host, origin) => {
    expect(codeOf({ host, origin }, registry)).toBe('foreign_origin')
  })

  it.each([{}, { allowedHosts: [] }])(
    'from a DNS rebinding attack is refused, although Origin and Host agree (%j)',
    (allowed) => {
      const host = 'evil.example:3000'
      expect(codeOf({ host, origin: `http://${host}` }, allowed)).toBe('foreign_origin')
    },
  )

  it('is refused for an unreadable origin even if it is allowed', () => {
    expect(codeOf({ host: 'x.example', origin: 'null' }, { allowedOrigins: ['null', ''] })).toBe(
      'foreign_origin',
    )
  })
})

it('is refused with status 403 and the expected values', () => {
  const error = findForeign(new Headers({ host: 'localhost', origin: 'https://evil.example' }), {})
  expect(error).toMatchObject({
    status: 403,
    message: 'Cannot accept a request from another site: expected a known Origin, got "https://evil.example"',
  })
})
