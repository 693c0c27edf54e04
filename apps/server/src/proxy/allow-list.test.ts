import { describe, expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import { createAllowList } from './allow-list.ts'

describe('PML_PROXY_ALLOW', () => {
  it.each([
    'mcp.internal',
    'localhost',
    '10.0.0.0/8',
    '127.0.0.1',
    '::1',
    '[::1]',
    'fd00::/8',
    'a, b.c ,10.1.1.1/32',
  ])('takes %j', (text) => expect(parseConfig({ PML_PROXY_ALLOW: text })).toHaveProperty('config.proxyAllow'))
  it.each([
    '*',
    'http://a',
    'a:80',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0/8',
    '1.2.3',
    '10.0.0.0/',
    'a,,b',
    '-a',
    'a b',
  ])('refuses %j and says what is expected', (text) =>
    expect(parseConfig({ PML_PROXY_ALLOW: text })).toEqual({
      problems: [expect.stringMatching(/^PML_PROXY_ALLOW: expected hosts, addresses or ranges/)],
    }),
  )

  it('allows a host wherever it is, and a range under whatever name', () => {
    const list = createAllowList(['MCP.internal', '10.0.0.0/8', '[::1]', 'fd00::/8'])
    expect(list.has('mcp.internal', '192.168.0.1')).toBe(true)
    expect(list.has('other.internal', '10.20.30.40')).toBe(true)
    expect(list.has('::1', '::1')).toBe(true)
    expect(list.has('x', 'fd12::1')).toBe(true)
    expect(list.has('sub.mcp.internal', '192.168.0.1')).toBe(false)
    expect(list.has('other.internal', '11.0.0.1')).toBe(false)
    expect(list.has('x', '::2')).toBe(false)
    expect(list.has('mcp.internal', 'no address')).toBe(false)
    expect(createAllowList([]).has('localhost', '127.0.0.1')).toBe(false)
  })
})
