import { describe, expect, it } from 'vitest'
import { httpDocument, publishedDocument } from './documents.ts'

const remote = (headers?: object) => ({
  type: 'http',
  description: 'x',
  proxyTo: 'https://mcp.example/mcp',
  ...(headers ? { headers } : {}),
})

describe('the headers of a remote server', () => {
  it('may be left out, or contain references and plain text', () => {
    const headers = { Authorization: 'Bearer ${TOKEN}', 'X-Edition': 'two' }
    expect(publishedDocument.parse(remote())).not.toHaveProperty('headers')
    expect(publishedDocument.parse(remote(headers))).toMatchObject({ headers })
    const served = {
      ...remote(headers),
      fqdn: 'a',
      integrity: 'b',
      routing: 'client',
      tools: [],
      envRequired: [],
    }
    expect(httpDocument.parse(served)).toMatchObject({ headers })
  })

  it.each([
    [{ Authorization: 'Bearer abcdefgh' }, 'expected no secrets'],
    [{ 'X-Any': 'ghp_abcdefghijklmnop' }, 'expected no secrets'],
    [{ 'X Y': 'a' }, 'expected the name of an HTTP header'],
    [{ 'X-Y': 'a\r\nX-Z: b' }, 'expected one line'],
    [{ 'X-Y': 1 }, 'expected string'],
    [Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`X-${n}`, 'a'])), 'at most 32'],
  ])('are refused as %j', (headers, message) => {
    const { success, error } = publishedDocument.safeParse(remote(headers))
    expect([success, JSON.stringify(error?.issues)]).toEqual([false, expect.stringContaining(message)])
  })
})

describe('the address of a remote server', () => {
  it.each(['', 'x y', 'https://', '//', 'https://user:secret@mcp.example/'])(
    'is refused as %j',
    (proxyTo) => {
      expect(publishedDocument.safeParse({ ...remote(), proxyTo }).success).toBe(false)
    },
  )
})

describe('where a local server keeps its data', () => {
  const local = (state: unknown) => ({
    type: 'stdio',
    description: 'x',
    install: { command: 'npx', args: ['pkg'], envRequired: [], state },
  })

  it('is a variable or an option', () => {
    for (const state of [{ env: 'DATA' }, { argument: '--data', file: 'a.db' }])
      expect(publishedDocument.parse(local(state))).toMatchObject({ install: { state } })
  })

  it.each([
    {},
    { env: 'PATH' },
    { env: 'A', argument: '-a' },
    { env: 'A', file: '..' },
    { env: 'A', more: 1 },
    'a',
  ])('is refused as %j', (state) => expect(publishedDocument.safeParse(local(state)).success).toBe(false))
})
