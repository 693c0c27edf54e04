import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PmlError } from './errors.ts'
import {
  findLocalServer,
  findServer,
  isLocal,
  localServerName,
  orgOf,
  parseName,
  parseReference,
  printFqdn,
  serverName,
  toolNameOf,
} from './names.ts'

const long = 'a'.repeat(64)
const component = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)

describe('names', () => {
  it('have four components', () => {
    expect(parseName('casys.pml.fs.read_json')).toBe('casys.pml.fs.read_json')
    expect(parseName(`${long}.${long}.${long}.${long}`)).toHaveLength(259)
    expect(parseName('_a.b-c.D9.e_')).toBe('_a.b-c.D9.e_')
  })

  it.each([
    '',
    'a',
    'a.b.c',
    'a.b.c.d.e',
    'a.b.c.d.',
    '.a.b.c',
    'a..b.c',
    'a.b.c.9d',
    'a.b.c.-d',
    'a.b.c.d e',
    'a.b.c.d\n',
    'a/b.c.d.e',
    'а.b.c.d',
    'a.b.c.d\0',
    '../../etc/passwd',
    `a.b.c.${long}a`,
    'a.b.c.d%20',
    'a.b.c.é',
  ])('refuse %j', (text) => {
    expect(() => parseName(text)).toThrow(PmlError)
  })

  it('are case-sensitive', () => {
    expect(parseName('A.b.c.d')).not.toBe(parseName('a.b.c.d'))
  })

  it('are repeated in errors only in part and without control characters', () => {
    const thrown = catchError(() => parseName(`\u001b[31m${'x'.repeat(10_000)}`))
    expect(thrown.message.length).toBeLessThan(200)
    expect(thrown.message).not.toContain('\u001b')
  })
})

describe('references', () => {
  it('are a name, or a name and a hash', () => {
    expect(parseReference('a.b.c.d')).toEqual({ name: 'a.b.c.d', hash: undefined })
    expect(parseReference('a.b.c.d.a7f3')).toEqual({ name: 'a.b.c.d', hash: 'a7f3' })
  })

  it('accept any fifth part of legal characters as a hash', () => {
    expect(parseReference('a.b.c.d.xxxx').hash).toBe('xxxx')
    expect(parseReference(`a.b.c.d.${'f'.repeat(65)}`).hash).toHaveLength(65)
    expect(() => parseReference('a.b.c.d.')).toThrow(PmlError)
    expect(() => parseReference('a.b.c.d.a7f3.e')).toThrow(PmlError)
    expect(() => parseReference('a.b.c.d.a/f3')).toThrow(PmlError)
  })

  it('parse to what was printed', () => {
    fc.assert(
      fc.property(
        component,
        component,
        component,
        component,
        fc.stringMatching(/^[0-9a-f]{4,64}$/),
        (a, b, c, d, hash) => {
          const name = parseName(`${a}.${b}.${c}.${d}`)
          expect(parseReference(printFqdn(name, hash))).toEqual({ name, hash })
        },
      ),
    )
  })

  it('throw only PmlError, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webPath()), (text) => {
        try {
          parseReference(text)
        } catch (error) {
          expect(error).toBeInstanceOf(PmlError)
        }
      }),
    )
  })
})

describe('tool names', () => {
  it('consist of namespace and action, or of a server and every tool', () => {
    expect(toolNameOf(parseName('pml.std.filesystem.read_file'))).toBe('filesystem:read_file')
    expect(toolNameOf(serverName('tavily'))).toBe('tavily:*')
    expect(toolNameOf(parseName('acme.mcp.tavily.server'))).toBe('tavily:server')
  })

  it('belong to a server only under pml.mcp', () => {
    expect(findServer(serverName('tavily'))).toBe('tavily')
    expect(findServer(parseName('pml.mcp.tavily.client'))).toBeUndefined()
    expect(orgOf(serverName('tavily'))).toBe('pml')
  })

  it('of a server on this machine are its own', () => {
    expect(localServerName('files')).toBe('local.mcp.files.server')
    expect(toolNameOf(localServerName('files'))).toBe('files:*')
    expect(findLocalServer(localServerName('files'))).toBe('files')
    expect(findServer(localServerName('files'))).toBeUndefined()
    expect(findLocalServer(serverName('files'))).toBeUndefined()
    expect([localServerName('files'), serverName('local')].map(isLocal)).toEqual([true, false])
    expect(['local.a.b.c', 'locale.mcp.files.server'].map((text) => isLocal(parseName(text)))).toEqual([
      true,
      false,
    ])
    for (const server of ['a.b', '../x', '']) expect(() => localServerName(server)).toThrow(PmlError)
  })
})

function catchError(run: () => unknown): Error {
  try {
    run()
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('nothing was thrown')
}
