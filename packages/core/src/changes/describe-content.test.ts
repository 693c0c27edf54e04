import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../canonical-json.ts'
import { documentBytes } from '../integrity.ts'
import { describeChange, type Release } from './index.ts'

const remote = {
  type: 'http',
  routing: 'server',
  description: 'Looks things up',
  proxyTo: 'https://mcp.example.com/v1',
  envRequired: ['TOKEN'],
  tools: ['search:find', 'search:read'],
} as const
const install = { command: 'npx', args: ['-y', 'files@1.0.0', '/data'], envRequired: [] as string[] }
const local = {
  type: 'stdio',
  routing: 'client',
  description: 'Files',
  install,
  pinned: true,
  tools: [],
} as const

describe('a change of a document', () => {
  it('is described by fields: added, removed and changed, lists member by member', () => {
    const { proxyTo: _proxyTo, ...others } = remote
    const after = {
      ...others,
      description: 'Looks up',
      tools: ['search:read', 'search:send'],
      extra: { a: 1 },
    }
    expect(describeChange(release(remote), release(after))).toEqual({
      fields: [
        { path: 'description', before: 'Looks things up', after: 'Looks up' },
        { path: 'extra.a', after: 1 },
        { path: 'proxyTo', before: 'https://mcp.example.com/v1' },
        { path: 'tools', before: 'search:find' },
        { path: 'tools', after: 'search:send' },
      ],
      warnings: [],
    })
  })

  it('in order only shows both lists', () => {
    const after = { ...local, install: { ...install, args: ['files@1.0.0', '-y', '/data'] } }
    expect(describeChange(release(local), release(after)).fields).toEqual([
      { path: 'install.args', before: install.args, after: ['files@1.0.0', '-y', '/data'] },
    ])
  })

  it('in order and members shows the members and both lists', () => {
    const args = ['files@2.0.0', '/data', '-y']
    expect(
      describeChange(release(local), release({ ...local, install: { ...install, args } })).fields,
    ).toEqual([
      { path: 'install.args', before: 'files@1.0.0' },
      { path: 'install.args', after: 'files@2.0.0' },
      { path: 'install.args', before: install.args, after: args },
    ])
  })

  it('that no longer repeats its routing is shown', () => {
    const { routing: _routing, ...others } = local
    expect(describeChange(release(local), release(others)).fields).toEqual([
      { path: 'routing', before: 'client' },
    ])
  })

  it.each([
    ['an empty list', { tools: [] }, [{ path: 'tools', after: [] }]],
    ['an empty object', { tools: {} }, [{ path: 'tools', after: {} }]],
    ['null', { tools: null }, [{ path: 'tools', after: null }]],
    ['numbers', { tools: [1, 2] }, [{ path: 'tools', after: [1, 2] }]],
    ['a key that looks like two', { 'a.b': 1 }, [{ path: '["a.b"]', after: 1 }]],
    ['a key that cannot be seen', { '\u{200b}': 1 }, [{ path: '["\\u{200b}"]', after: 1 }]],
    ['a key of every object', { constructor: 1 }, [{ path: 'constructor', after: 1 }]],
  ])('that adds %s is shown', (_what, added, fields) => {
    expect(
      describeChange(
        release({ type: 'http', routing: 'server' }),
        release({ type: 'http', routing: 'server', ...added }),
      ).fields,
    ).toEqual(fields)
  })

  it('warns of another host and of lost encryption', () => {
    expect(warningsOf(remote, { ...remote, proxyTo: 'http://mcp.example.org/v1' })).toEqual([
      'proxyTo points to another host: mcp.example.com -> mcp.example.org',
      'proxyTo is no longer encrypted',
    ])
    expect(warningsOf(remote, { ...remote, proxyTo: 'https://mcp.example.com/v2' })).toEqual([])
  })

  it('shows the real name of a look-alike host', () => {
    expect(warningsOf(remote, { ...remote, proxyTo: 'https://mcp.ex\u{430}mple.com/v1' })).toEqual([
      'proxyTo points to another host: mcp.example.com -> mcp.xn--exmple-4nf.com',
    ])
  })

  it('warns of another command or other arguments, and shows all of it', () => {
    const start = (changed: Partial<typeof install>) => ({ ...local, install: { ...install, ...changed } })
    expect(warningsOf(local, start({ command: 'sh', args: ['-c', 'rm -r /\n'] }))).toEqual([
      'command changed, now: sh -c "rm -r /\\n"',
    ])
    expect(warningsOf(local, start({ args: ['-y', 'files@1.0.0', '/'] }))).toEqual([
      'arguments changed, now: npx -y files@1.0.0 /',
    ])
  })

  it('warns of new environment variables', () => {
    expect(warningsOf(remote, { ...remote, envRequired: ['TOKEN', 'AWS_SECRET', 'HOME'] })).toEqual([
      'new environment variables are asked for: AWS_SECRET, HOME',
    ])
    expect(warningsOf(local, { ...local, install: { ...install, envRequired: ['KEY'] } })).toEqual([
      'new environment variables are asked for: KEY',
    ])
    expect(warningsOf(remote, { ...remote, envRequired: [] })).toEqual([])
    expect(
      warningsOf({ ...remote, envRequired: ['A', 'B'] }, { ...remote, envRequired: ['B', 'A'] }),
    ).toEqual([])
  })

  it('warns of other bytes under the same version, lost pins and other tool definitions', () => {
    const pinned = { ...install, package: 'files', version: '1.0.0', integrity: 'sha512-a' }
    const before = { ...local, install: pinned, toolsDigest: 'sha256-a' }
    const rehashed = { ...before, install: { ...pinned, integrity: 'sha512-b' } }
    expect(warningsOf(before, rehashed)).toEqual(['the same version has other bytes: files 1.0.0'])
    expect(warningsOf(before, { ...rehashed, install: { ...rehashed.install, version: '1.0.1' } })).toEqual(
      [],
    )
    expect(warningsOf(before, { ...before, pinned: false })).toEqual(['its packages are no longer pinned'])
    expect(warningsOf(before, { ...before, toolsDigest: 'b' })).toEqual([
      'the definitions of its tools changed',
    ])
  })

  it('warns of invisible characters', () => {
    expect(warningsOf(remote, { ...remote, description: 'Looks\u{e0041}' })).toEqual([
      'the new document contains 1 invisible or direction-changing character',
    ])
  })

  it('warns of a document that contradicts the registry', () => {
    const after = { ...release(remote), routing: 'client' as const }
    expect(describeChange(release(remote), after)).toEqual({
      fields: [{ path: 'routing', before: 'server', after: 'client' }],
      warnings: [
        'it now runs on the client, no longer on the server',
        'the document says routing server, but it is served as client',
      ],
    })
  })

  it('that can be read in two ways is also shown as text', () => {
    const twice = '{"proxyTo":"https://a.example","proxyTo":"https://b.example"}'
    const change = describeChange(text('{"proxyTo":"https://b.example"}'), text(twice))
    expect(change.code?.unified).toContain(`+${twice}\n`)
    expect(change.fields).toEqual([])
    expect(change.warnings).toEqual(['the new document is not in its canonical form and is shown as text'])
  })

  it.each([
    '',
    '5',
    'null',
    '[]',
    '{"a":',
    '['.repeat(100_000),
    `{"a":${'['.repeat(200)}${']'.repeat(200)}}`,
  ])('to something that is not a document is shown as text (%#)', (bytes) => {
    const change = describeChange(text('{"a":1}'), text(bytes))
    expect(change.fields).toEqual([{ path: 'a', before: 1 }])
    expect(change.code?.unified ?? '').toContain(bytes.slice(0, 100))
  })
})

describe('a change of the kind of an entry', () => {
  const code: Release = { type: 'deno', routing: 'client', bytes: Buffer.from('run()\n') }

  it('from a document to code shows the removed fields and all of the code', () => {
    const change = describeChange(release({ type: 'stdio', routing: 'client', description: 'Files' }), code)
    expect(change.fields).toEqual([
      { path: 'type', before: 'stdio', after: 'deno' },
      { path: 'description', before: 'Files' },
    ])
    expect(change.code?.unified).toBe('@@ -0,0 +1,1 @@\n+run()\n')
    expect(change.warnings).toEqual(['a document became code'])
  })

  it('from code to a document shows the removed code', () => {
    const change = describeChange(code, release({ type: 'http', routing: 'client' }))
    expect(change.code?.unified).toBe('@@ -1,1 +0,0 @@\n-run()\n')
    expect(change.warnings).toEqual(['code became a document'])
  })

  it('of the same bytes shows them in their new form', () => {
    const document = text('{"a":1}')
    const change = describeChange(document, { ...document, type: 'deno' })
    expect(change.fields).toContainEqual({ path: 'a', before: 1 })
    expect(change.code?.unified).toContain('+{"a":1}\n')
  })

  it('between a local and a remote server is shown once, with a warning', () => {
    const [a, b] = [
      release({ type: 'stdio', routing: 'client' }),
      release({ type: 'http', routing: 'client' }),
    ]
    const fields = [{ path: 'type', before: 'stdio', after: 'http' }]
    expect(describeChange(a, b)).toEqual({ fields, warnings: ['a local server became a remote one'] })
    expect(describeChange(b, a).warnings).toEqual(['a remote server became a local one'])
  })

  it('from an unknown release shows everything as new', () => {
    const warnings = ['the previous release is unknown: all of the new release is shown']
    expect(describeChange(undefined, code)).toEqual({
      code: { unified: '@@ -0,0 +1,1 @@\n+run()\n', added: 1, removed: 0, isCut: false, dangers: [] },
      fields: [
        { path: 'routing', after: 'client' },
        { path: 'type', after: 'deno' },
      ],
      warnings,
    })
    expect(describeChange(undefined, release({ type: 'http', routing: 'server', description: 'x' }))).toEqual(
      {
        fields: [
          { path: 'routing', after: 'server' },
          { path: 'type', after: 'http' },
          { path: 'description', after: 'x' },
        ],
        warnings,
      },
    )
  })
})

function warningsOf(before: JsonObject, after: JsonObject): readonly string[] {
  return describeChange(release(before), release(after)).warnings
}

function release(document: JsonObject): Release {
  const routing = document.routing === 'server' ? 'server' : 'client'
  return { type: document.type === 'http' ? 'http' : 'stdio', routing, bytes: documentBytes(document) }
}

function text(bytes: string): Release {
  return { type: 'http', routing: 'client', bytes: Buffer.from(bytes) }
}
