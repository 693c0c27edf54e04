import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PmlError } from '../errors.ts'
import { integrityOf } from '../integrity-of.ts'
import { parseName } from '../names.ts'
import { permissionsOf } from '../../test/permissions-of.ts'
import { diffLockfiles } from './diff-lockfiles.ts'
import { emptyLockfile, withEntry, withoutUnwanted, type LockedEntry, type Lockfile } from './lockfile.ts'
import { parseLockfile } from './parse-lockfile.ts'
import { printLockfile } from './print-lockfile.ts'

const FILE = '.pml/mcp.lock'
const golden = (file: string) =>
  readFileSync(new URL(`../../test/lockfiles/${file}`, import.meta.url), 'utf8')

function locked(name: string, content = name): LockedEntry {
  const integrity = integrityOf(Buffer.from(content))
  const hash = integrity.slice('sha256-'.length, 'sha256-'.length + 4)
  const fetchedAt = '2026-01-07T12:00:00.000Z'
  return { name: parseName(name), hash, integrity, fetchedAt, type: 'deno', routing: 'client' }
}

const lockfileOf = (...entries: LockedEntry[]): Lockfile => entries.reduce(withEntry, emptyLockfile)
const namesIn = ({ entries }: Lockfile) => [...entries.keys()]

describe('a lockfile', () => {
  it.each(['empty.lock', 'two-entries.lock'])('parses and prints unchanged: %s', (file) => {
    expect(printLockfile(parseLockfile(golden(file), FILE))).toBe(golden(file))
  })

  it('is sorted for any order of its entries, and equal for equal content', () => {
    const entries = ['b.b.b.b', 'a.a.a.a', 'B.b.b.b', 'a.a.a.a-b'].map((name) => locked(name))
    const text = printLockfile(lockfileOf(...entries))
    expect(printLockfile(lockfileOf(...entries.toReversed()))).toBe(text)
    const keys = [...text.matchAll(/^ {4}"(.*)": \{$/gm)].map(([, key]) => key)
    expect(keys).toEqual(keys.toSorted())
    expect(keys).toHaveLength(4)
  })

  it('parses to what was printed, for any entries', () => {
    const component = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,8}$/)
    const name = fc.tuple(component, component, component, component).map((parts) => parts.join('.'))
    const entry = fc
      .record({
        name,
        content: fc.string(),
        length: fc.integer({ min: 4, max: 64 }),
        type: fc.constantFrom('deno' as const, 'stdio' as const, 'http' as const),
        routing: fc.constantFrom('client' as const, 'server' as const),
        at: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
      })
      .map(({ name, content, length, type, routing, at }) => {
        const { integrity } = locked(name, content)
        const hash = integrity.slice('sha256-'.length, 'sha256-'.length + length)
        return { name: parseName(name), hash, integrity, fetchedAt: at.toISOString(), type, routing }
      })
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const lockfile = lockfileOf(...entries)
        expect(parseLockfile(printLockfile(lockfile), FILE)).toEqual(lockfile)
      }),
    )
  })

  it('parses in another layout, with other line ends and in another order', () => {
    const text = golden('two-entries.lock')
    const { version, entries } = JSON.parse(text) as { version: number; entries: object }
    const turned = JSON.stringify({
      entries: Object.fromEntries(Object.entries(entries).toReversed()),
      version,
    })
    for (const other of [turned, text.replaceAll('\n', '\r\n'), `\u{feff}${text}`])
      expect(printLockfile(parseLockfile(other, FILE))).toBe(text)
  })

  it('has one entry per name: the newest replaces the previous one', () => {
    const lockfile = lockfileOf(locked('a.a.a.a', 'old'), locked('b.b.b.b'), locked('a.a.a.a', 'new'))
    expect(lockfile.entries.get(parseName('a.a.a.a'))).toEqual(locked('a.a.a.a', 'new'))
    expect(namesIn(lockfile)).toEqual(['a.a.a.a', 'b.b.b.b'])
  })
})

const text = golden('two-entries.lock')
const integrity = 'sha256-2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'

describe('a lockfile that cannot be read', () => {
  it.each([
    ['nothing', '', 'value expected'],
    ['half of it', text.slice(0, 200), '.pml/mcp.lock:'],
    ['another kind of file', '[]', 'the file is not an object'],
    [
      'a newer version',
      text.replace('"version": 1', '"version": 2'),
      'expected version 1, got 2; use a newer pml',
    ],
    ['no version', text.replace('"version": 1,', ''), 'expected version 1, got none'],
    ['a version as text', text.replace('"version": 1', '"version": "1"'), 'expected version 1, got "1"'],
    ['no entries', '{"version": 1}', 'entries is not an object'],
    ['a list of entries', '{"version": 1, "entries": []}', 'entries is not an object'],
    [
      'an unknown member',
      text.replace('"version": 1,', '"version": 1, "trust": true,'),
      "unknown member 'trust'",
    ],
    [
      'a member more in an entry',
      text.replace('"type": "deno"', '"type": "deno", "x": 1'),
      "unknown member 'x'",
    ],
    [
      'an entry without integrity',
      text.replace(`"integrity": "${integrity}",`, ''),
      'integrity is not sha256-',
    ],
    ['an empty integrity', text.replace(integrity, ''), 'integrity is not sha256-'],
    [
      'an integrity in capitals',
      text.replace(integrity, integrity.toUpperCase()),
      'integrity is not sha256-',
    ],
    ['a hash that is too short', text.replace('shout.2c26', 'shout.2c2'), 'less than 4 characters'],
    ['a key without a hash', text.replace('shout.2c26', 'shout'), 'is not named by a name and a hash'],
    [
      'a key that is no name',
      text.replace('acme.tools.text.shout.2c26', '../../x'),
      'is not named by a name',
    ],
    ['__proto__ as a key', text.replace('acme.tools.text.shout.2c26', '__proto__'), 'is not named by a name'],
    ['no time', text.replace('2026-01-07T12:00:00.000Z', 'yesterday'), 'fetchedAt is not a time'],
    ['another type', text.replace('"deno"', '"wasm"'), 'type is not deno, stdio or http'],
    [
      'another routing',
      text.replace('"routing": "client"', '"routing": "both"'),
      'routing is not client or server',
    ],
    ['an entry that is none', text.replace(/\{\n {6}"integrity"[^}]*\}/, 'null'), 'is not an object'],
    [
      'one name twice',
      text.replace('pml.mcp.tavily.server.fcde2', 'acme.tools.text.shout.fcde2'),
      'it has two entries for acme.tools.text.shout',
    ],
    ['one key twice', text.replace(/ {4}"acme\.[^}]+},\n/, '$&$&'), 'Cannot read'],
    ['NUL', text.replace('deno', 'de\0no'), '.pml/mcp.lock:'],
  ])('throws an error that names the file and the fix: %s', (_what, broken, message) => {
    expect(() => parseLockfile(broken, FILE)).toThrow(
      expect.objectContaining({
        code: 'invalid_lockfile',
        message: expect.stringMatching(/^Cannot read \.pml\/mcp\.lock.*; (?:restore|use|resolve)/s),
      }),
    )
    expect(() => parseLockfile(broken, FILE)).toThrow(message)
  })

  it.each([
    ['integrity', text.replace('sha256-2c26', 'sha256-2c27'), '2c26'],
    ['hash', text.replace('shout.2c26', 'shout.2c27'), '2c27'],
  ])(
    'throws an integrity error with both values if one digit of the %s was changed',
    (_what, changed, hash) => {
      const found = integrity.replace('2c26', hash === '2c26' ? '2c27' : '2c26')
      expect(() => parseLockfile(changed, FILE)).toThrow(
        expect.objectContaining({
          code: 'integrity_mismatch',
          message: `Cannot trust ${FILE}: entry 'acme.tools.text.shout.${hash}': its integrity ${found} does not begin with its hash ${hash}; restore the file from version control`,
        }),
      )
    },
  )

  it('names the line of merge conflict markers', () => {
    const lines = text.split('\n')
    const merged = [
      ...lines.slice(0, 3),
      '<<<<<<< HEAD',
      ...lines.slice(3, 9),
      '=======',
      '>>>>>>> theirs',
      ...lines.slice(9),
    ]
    expect(() => parseLockfile(merged.join('\n'), FILE)).toThrow(
      'Cannot read .pml/mcp.lock: it has conflict markers at line 4; resolve them, then run "pml lock verify"',
    )
  })

  it('is a lockfile or an error, for any cut or change', () => {
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(3), fc.string({ maxLength: 3 }), (at, cut, put) => {
        const broken = text.slice(0, at) + put + text.slice(at + cut)
        try {
          const lockfile = parseLockfile(broken, FILE)
          expect(printLockfile(parseLockfile(printLockfile(lockfile), FILE))).toBe(printLockfile(lockfile))
        } catch (error) {
          expect(['invalid_lockfile', 'integrity_mismatch']).toContain((error as PmlError).code)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('cleaning', () => {
  const lockfile = lockfileOf(
    locked('pml.mcp.tavily.server'),
    locked('pml.mcp.old-tool.server'),
    locked('pml.std.json.parse'),
  )

  it('removes entries that no allow or ask rule covers, by tool name', () => {
    const permissions = permissionsOf({ allow: ['tavily:search'], ask: ['json:*'], deny: ['old-tool:*'] })
    const { lockfile: kept, removed } = withoutUnwanted(lockfile, permissions)
    expect(namesIn(kept)).toEqual(['pml.mcp.tavily.server', 'pml.std.json.parse'])
    expect(removed.map(({ name }) => name)).toEqual(['pml.mcp.old-tool.server'])
    expect(namesIn(lockfile)).toHaveLength(3)
  })

  it('returns the same lockfile if there is nothing to remove', () => {
    expect(withoutUnwanted(lockfile, permissionsOf({ allow: ['*'] })).lockfile).toBe(lockfile)
  })
})

describe('the difference of two lockfiles', () => {
  it('lists added, removed and changed entries by name and ignores fetch times', () => {
    const before = lockfileOf(locked('a.a.a.a'), locked('b.b.b.b', 'old'), locked('c.c.c.c'))
    const later = { ...locked('a.a.a.a'), fetchedAt: '2027-01-01T00:00:00Z' }
    const after = lockfileOf(later, locked('b.b.b.b', 'new'), locked('d.d.d.d'))
    expect(diffLockfiles(before, after)).toEqual({
      added: [locked('d.d.d.d')],
      removed: [locked('c.c.c.c')],
      changed: [{ before: locked('b.b.b.b', 'old'), after: locked('b.b.b.b', 'new') }],
    })
  })
})
