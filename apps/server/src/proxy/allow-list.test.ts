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
    'a:80',
    'mcp.internal:65535',
    '127.0.0.1:8080',
    '10.0.0.0/8:443',
    '[::1]:8080',
    '[fd00::/8]:443',
  ])('takes %j', (text) => expect(parseConfig({ PML_PROXY_ALLOW: text })).toHaveProperty('config.proxyAllow'))
  it.each([
    '*',
    'http://a',
    'a:',
    'a:0',
    'a:65536',
    'a:080',
    'a:x',
    'a:80:81',
    ':80',
    '127.0.0.1:',
    '[::1]:',
    '[::1',
    '[a]:80',
    '[]:80',
    '10.0.0.0:80/8',
    '1.2.3:80',
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

  it('allows a host at any address, and a range under any name', () => {
    const list = createAllowList(['MCP.internal', '10.0.0.0/8', '[::1]', 'fd00::/8'])
    expect(list.has('mcp.internal', '192.168.0.1', 80)).toBe(true)
    expect(list.has('other.internal', '10.20.30.40', 80)).toBe(true)
    expect(list.has('::1', '::1', 80)).toBe(true)
    expect(list.has('x', 'fd12::1', 80)).toBe(true)
    expect(list.has('sub.mcp.internal', '192.168.0.1', 80)).toBe(false)
    expect(list.has('other.internal', '11.0.0.1', 80)).toBe(false)
    expect(list.has('x', '::2', 80)).toBe(false)
    expect(list.has('mcp.internal', 'no address', 80)).toBe(false)
    expect(createAllowList([]).has('localhost', '127.0.0.1', 80)).toBe(false)
  })

  it('allows only the port that an entry names', () => {
    const list = createAllowList([
      'Host:81',
      '10.0.0.0/8:82',
      '[::1]:83',
      '127.0.0.1:84',
      '127.0.0.1:85',
      '[fd00::/8]:86',
    ])
    const allowed = (host: string, address: string) =>
      [80, 81, 82, 83, 84, 85, 86].filter((port) => list.has(host, address, port))
    expect(allowed('host', '192.168.0.1')).toEqual([81])
    expect(allowed('x', '10.1.1.1')).toEqual([82])
    expect(allowed('::1', '::1')).toEqual([83])
    expect(allowed('x', '127.0.0.1')).toEqual([84, 85])
    expect(allowed('x', '::ffff:127.0.0.1')).toEqual([84, 85])
    expect(allowed('x', 'fd00::1')).toEqual([86])
    expect(createAllowList(['a', 'a:81']).has('a', '10.0.0.1', 80)).toBe(true)
  })
})
