import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../canonical-json.ts'
import { integrityOf } from '../integrity-of.ts'
import { describeChange, type Change, type Release } from './index.ts'

const none = { added: [], removed: [], bumped: [], rehashed: [], installScripts: [] }

describe('a change of the packages of a server', () => {
  it('separates versions, changed bytes, and added and removed packages', () => {
    const before = lock({
      stays: entry('1.0.0'),
      left: entry('1.2.3', 'a'),
      gone: entry('3.0.0'),
      up: entry('1.0.0'),
    })
    const after = lock({
      stays: entry('1.0.0'),
      left: entry('1.2.3', 'b'),
      come: { ...entry('4.0.0'), hasInstallScript: true },
      up: entry('1.1.0'),
    })
    expect(change(before, after)).toEqual({
      packages: {
        added: [{ location: 'node_modules/come', after: '4.0.0' }],
        removed: [{ location: 'node_modules/gone', before: '3.0.0' }],
        bumped: [{ location: 'node_modules/up', before: '1.0.0', after: '1.1.0' }],
        rehashed: [{ location: 'node_modules/left', before: '1.2.3', after: '1.2.3' }],
        installScripts: ['node_modules/come'],
      },
      fields: [],
      warnings: ['the same version has other bytes: node_modules/left 1.2.3'],
    })
  })

  it('names other differences of a package with the same version, and of the root', () => {
    const before = { ...lock({ left: { ...entry('1.0.0'), bin: { left: 'a.js' } } }), name: 'pin' }
    const after = { ...lock({ left: { ...entry('1.0.0'), bin: { left: 'b.js' } } }), name: 'nip' }
    const root = { packages: { ...after.packages, '': { version: '2.0.0' } } }
    expect(change(before, { ...after, ...root }).fields).toEqual([
      { path: 'tree.name', before: 'pin', after: 'nip' },
      { path: 'tree.packages[""].version', after: '2.0.0' },
      { path: 'tree.packages["node_modules/left"].bin.left', before: 'a.js', after: 'b.js' },
    ])
  })

  it('warns of packages from outside the npm registry', () => {
    const after = lock({
      left: { ...entry('1.0.0'), resolved: 'https://evil.example/left.tgz' },
      mine: { link: true },
    })
    expect(change(lock({ left: entry('1.0.0') }), after)).toMatchObject({
      packages: { added: [{ location: 'node_modules/mine', after: 'unversioned' }] },
      warnings: ['packages come from an address of their own: node_modules/left, node_modules/mine'],
    })
  })

  it('says if the same content has other bytes', () => {
    const before = release(JSON.stringify(lock({ left: entry('1.0.0') })))
    const after = release(JSON.stringify(lock({ left: entry('1.0.0') }), null, 2))
    expect(describeChange(before, after)).toEqual({
      packages: none,
      fields: [],
      warnings: ['the package-lock.json says the same in other bytes'],
    })
    expect(describeChange(before, before)).toEqual({ fields: [], warnings: [] })
  })

  it("warns of packages that differ from the document's", () => {
    const tree = JSON.stringify(lock({ left: entry('1.0.0') }))
    const named = (integrity: string): Release => {
      const document = `{"install":{"lock":{"integrity":"${integrity}"}}}`
      return { ...release(tree), bytes: Buffer.from(document) }
    }
    const right = integrityOf(Buffer.from(tree))
    expect(describeChange(named(right), named('sha256-other')).warnings).toEqual([
      'the packages are not those that the document names',
    ])
    expect(describeChange(named('sha256-other'), named(right)).warnings).toEqual([])
  })

  it.each(['', 'x', '[]', '{}', '{"packages":[]}', '{"packages":null}', '['.repeat(100_000)])(
    'to an invalid lock is an empty list and a warning (%#)',
    (text) => {
      expect(describeChange(release(JSON.stringify(lock({}))), release(text))).toEqual({
        packages: none,
        fields: [],
        warnings: ['the packages of the new release cannot be read: expected a package-lock.json'],
      })
    },
  )

  it.each([undefined, 'no lock'])('from an unknown lock (%j) shows all packages as added', (text) => {
    expect(describeChange(release(text), release(JSON.stringify(lock({ left: entry('1.0.0') }))))).toEqual({
      packages: { ...none, added: [{ location: 'node_modules/left', after: '1.0.0' }] },
      fields: [],
      warnings: ['the packages of the old release are not known: all of the new ones are shown as added'],
    })
  })

  it('to an unknown lock says so', () => {
    expect(describeChange(release(JSON.stringify(lock({}))), release(undefined))).toEqual({
      fields: [],
      warnings: ['the packages of the new release are not known'],
    })
  })

  it('shows the real characters of deceptive names and versions', () => {
    const after = {
      packages: { 'node_modules/a\u{202e}\nb': entry('1.0.0 \u{200b}'), constructor: entry('1.0.0'), b: 5 },
    }
    expect(change({ packages: {} }, after).packages?.added).toEqual([
      { location: 'b', after: 'unversioned' },
      { location: 'constructor', after: '1.0.0' },
      { location: '"node_modules/a\\u{202e}\\nb"', after: '"1.0.0 \\u{200b}"' },
    ])
  })
})

function change(before: JsonValue, after: JsonValue): Change {
  return describeChange(release(JSON.stringify(before)), release(JSON.stringify(after)))
}

function release(tree: string | undefined): Release {
  const document = { type: 'stdio', routing: 'client', bytes: Buffer.from('{}') } as const
  return tree === undefined ? document : { ...document, tree: Buffer.from(tree) }
}

function lock(entries: Record<string, JsonValue>) {
  const packages = Object.entries(entries).map(([name, value]) => [`node_modules/${name}`, value] as const)
  return { lockfileVersion: 3, packages: { '': {}, ...Object.fromEntries(packages) } }
}

function entry(version: string, bytes = 'same') {
  return { version, integrity: `sha512-${bytes}` }
}
