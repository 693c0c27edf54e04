import { describe, expect, it } from 'vitest'
import { PmlError } from './errors.ts'
import { parseName, serverName, toolNameOf, type ToolName } from './names.ts'
import { permissionsOf } from '../test/permissions-of.ts'
import { decide, isWanted } from './permissions.ts'
import { parseRoutingConfig, routingFor } from './routing.ts'
import { isScope, mayProxy, mayPublish, mayRead } from './scopes.ts'
import { covers, parseToolPattern } from './tool-patterns.ts'

const tool = (text: string) => text as ToolName

describe('tool patterns', () => {
  it.each([
    ['fs:read', 'fs:read', true],
    ['fs:read', 'fs:read_json', false],
    ['fs:*', 'fs:read', true],
    ['fs', 'fs:read', true],
    ['fs', 'fsx:read', false],
    ['shell:sudo_*', 'shell:sudo_rm', true],
    ['shell:sudo_*', 'shell:ls', false],
    ['*', 'any:thing', true],
    ['tavily:*', 'tavily:*', true],
    ['tavily:search', 'tavily:*', false],
    ['FS:read', 'fs:read', false],
  ])('%s over %s: %s', (pattern, name, expected) => {
    expect(covers(parseToolPattern(pattern), tool(name))).toBe(expected)
  })

  it.each(['', ':', 'fs:', ':read', 'fs:re*d', '*:read', 'fs:read:x', '**', 'fs:**', 'f s:x', 'fs:[a]'])(
    'refuse %j instead of matching nothing',
    (text) => {
      expect(() => parseToolPattern(text)).toThrow(PmlError)
    },
  )
})

describe('permissions', () => {
  const rules = permissionsOf({ allow: ['tavily:*', 'fs'], deny: ['fs:delete_*'], ask: ['github:*'] })

  it('check deny before allow, and prompt if nothing matches', () => {
    expect(decide(rules, tool('fs:delete_all'))).toBe('deny')
    expect(decide(rules, tool('fs:read'))).toBe('allow')
    expect(decide(rules, tool('github:push'))).toBe('ask')
    expect(decide(rules, tool('other:thing'))).toBe('ask')
    expect(decide(permissionsOf({}), tool('a:b'))).toBe('ask')
  })

  it('deny even what a more specific rule allows', () => {
    expect(decide(permissionsOf({ allow: ['fs:read'], deny: ['*'] }), tool('fs:read'))).toBe('deny')
  })

  it('do not deny a whole server for one of its tools', () => {
    expect(
      decide(permissionsOf({ allow: ['tavily'], deny: ['tavily:crawl'] }), toolNameOf(serverName('tavily'))),
    ).toBe('allow')
  })

  it('keep entries that an allow or ask rule covers', () => {
    expect(isWanted(rules, toolNameOf(serverName('tavily')))).toBe(true)
    expect(isWanted(permissionsOf({ ask: ['tavily:search'] }), toolNameOf(serverName('tavily')))).toBe(true)
    expect(isWanted(rules, toolNameOf(serverName('old-tool')))).toBe(false)
    expect(isWanted(permissionsOf({ deny: ['*'] }), tool('a:b'))).toBe(false)
  })

  it('throw for an invalid pattern', () => {
    expect(() => permissionsOf({ deny: ['fs:re*d'] })).toThrow(PmlError)
  })
})

describe('routing', () => {
  const rules = parseRoutingConfig(
    JSON.stringify({
      client: ['fs', 'web:fetch_local_*', '*'],
      server: ['web', 'fs:read_remote', 'web:fetch_*'],
      default: 'server',
    }),
    'mcp-routing.json',
  )

  it('follows the most specific pattern', () => {
    expect(routingFor(rules, tool('fs:read'))).toBe('client')
    expect(routingFor(rules, tool('fs:read_remote'))).toBe('server')
    expect(routingFor(rules, tool('web:search'))).toBe('server')
    expect(routingFor(rules, tool('web:fetch_local_file'))).toBe('client')
    expect(routingFor(rules, tool('other:x'))).toBe('client')
    expect(routingFor(parseRoutingConfig('{"default":"server"}', 'f'), tool('a:b'))).toBe('server')
  })

  it.each([
    ['{"client":["fs"],"server":["fs:*"]}', 'both client and server'],
    ['{"client":["a:b*c"]}', 'r.json:1:12'],
    ['{"default":"cloud"}', 'expected client or server'],
    ['{"client":"fs"}', 'expected a list'],
    ['{', 'r.json:1'],
  ])('is refused for %s', (text, message) => {
    expect(() => parseRoutingConfig(text, 'r.json')).toThrow(message)
  })
})

describe('scopes', () => {
  it.each([
    'admin',
    'hook',
    'approve',
    'pattern',
    'read:acme',
    'read:*',
    'publish:*',
    'publish:acme',
    'publish:acme.tools.*',
    'publish:a.b.c.d',
    'proxy:*',
    'proxy:pml.mcp.*',
    'proxy:a.b.c.d',
  ])('%s is valid', (scope) => {
    expect(isScope(scope)).toBe(true)
  })

  it.each([
    '',
    'Admin',
    'root',
    'read',
    'read:',
    'read:a.b',
    'publish:',
    'publish:a..b',
    'publish:a.b.c.d.e',
    'publish:*.b',
    'publish:a:b',
    'proxy',
    'proxy:',
    'proxy:a.b.c.d.e',
    'proxy:*.b',
    'admin:x',
  ])('%j is invalid', (scope) => {
    expect(isScope(scope)).toBe(false)
  })

  it('let a key publish only within its pattern', () => {
    const name = parseName('acme.tools.text.shout')
    expect(mayPublish(['publish:acme.tools.*'], name)).toBe(true)
    expect(mayPublish(['publish:acme.tools'], name)).toBe(true)
    expect(mayPublish(['publish:acme.tools.text.shout'], name)).toBe(true)
    expect(mayPublish(['publish:*'], name)).toBe(true)
    expect(mayPublish(['admin'], name)).toBe(true)
    expect(mayPublish(['publish:acme.too'], name)).toBe(false)
    expect(mayPublish(['publish:acm'], name)).toBe(false)
    expect(mayPublish(['read:acme', 'hook', 'approve'], name)).toBe(false)
  })

  it('let a key use the proxy only for entries in its pattern', () => {
    const name = parseName('pml.mcp.tavily.server')
    for (const scope of ['proxy:pml.mcp.tavily', 'proxy:pml.mcp.*', 'proxy:*', 'admin'])
      expect(mayProxy([scope], name), scope).toBe(true)
    for (const scope of ['proxy:pml.mcp.tav', 'proxy:acme', 'publish:pml.*', 'read:pml'])
      expect(mayProxy([scope], name), scope).toBe(false)
    expect(mayPublish(['proxy:pml.mcp.*'], name)).toBe(false)
    expect(mayRead(['proxy:pml.mcp.*'], name)).toBe(false)
  })

  it('let a key read its org and what it may publish', () => {
    const name = parseName('acme.tools.text.shout')
    expect(mayRead(['read:acme'], name)).toBe(true)
    expect(mayRead(['publish:acme.tools.*'], name)).toBe(true)
    expect(mayRead(['read:acm'], name)).toBe(false)
    expect(mayRead(['hook'], name)).toBe(false)
  })
})
