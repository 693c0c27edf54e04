import { expect, test } from 'vitest'
import { addTools, makePin, parseLockedTree } from './make-pin.ts'

const integrity = `sha512-${'a'.repeat(85)}A==`

test('contains what the lock says about the package', () => {
  expect(
    makePin('files', { spec: '@s/files@^1', name: '@s/files', args: [] }, lock({ any: './dist/i.js' })),
  ).toMatchObject({
    server: 'files',
    spec: '@s/files@^1',
    package: '@s/files',
    version: '1.2.3',
    integrity,
    bin: 'node_modules/@s/files/dist/i.js',
    tools: null,
  })
})

test.each([
  ['the only file', { a: 'x.js', b: './x.js' }, undefined, 'x.js'],
  ['the command named like the package', { other: 'o.js', files: 'f.js' }, undefined, 'f.js'],
  ['the command that was asked for', { other: 'o.js', files: 'f.js' }, 'other', 'o.js'],
])('starts %s', (_which, bin, program, file) => {
  const wanted = {
    spec: '@s/files',
    name: '@s/files',
    args: [],
    ...(program === undefined ? {} : { program }),
  }
  expect(makePin('files', wanted, lock(bin)).bin).toBe(`node_modules/@s/files/${file}`)
})

test.each([
  ['no command', {}, undefined, 'got none'],
  ['several, none of its own name', { a: 'a.js', b: 'b.js' }, undefined, 'got a, b'],
  ['not the one asked for', { files: 'f.js' }, 'other', 'got files'],
])('refuses a package with %s', (_what, bin, program, message) => {
  const wanted = {
    spec: '@s/files',
    name: '@s/files',
    args: [],
    ...(program === undefined ? {} : { program }),
  }
  expect(() => makePin('files', wanted, lock(bin))).toThrow(message)
})

test('refuses a package that came from an address', () => {
  const text = lock({ files: 'f.js' }).replace(
    '"version"',
    '"resolved":"git+ssh://git@example.com/x.git","version"',
  )
  const wanted = { spec: '@s/files', name: '@s/files', args: [] }
  expect(() => makePin('files', wanted, text)).toThrow('from git, a file or an address cannot be pinned')
})

test('a lock alone gives a pin if the file to start is in it', () => {
  const text = lock({ files: './f.js', 'files-too': 'g.js' })
  const expected = { package: '@s/files', version: '1.2.3', integrity }
  expect(parseLockedTree(text, 'node_modules/@s/files/f.js')).toMatchObject(expected)
  expect(parseLockedTree(text, 'node_modules/@s/files/g.js')).toMatchObject(expected)
  for (const bin of ['node_modules/@s/files/h.js', 'node_modules/@s/files/../../f.js', '/f.js', ''])
    expect(() => parseLockedTree(text, bin)).toThrow('bin')
})

test('adds tools in order, and only valid ones', () => {
  const pin = makePin('files', { spec: '@s/files', name: '@s/files', args: [] }, lock({ files: 'f.js' }))
  const inputSchema = { type: 'object' }
  const read = { name: 'read', inputSchema, title: 'Read' }
  const write = { name: 'write', inputSchema }
  const added = addTools(pin, [write, read])
  expect(added.tools).toEqual([read, write])
  expect(() => addTools(pin, [{ name: 'no schema' }])).toThrow('files.json')
})

function lock(bin: Record<string, string>): string {
  const packages = {
    '': { name: 'pin', dependencies: { '@s/files': '1.2.3' } },
    'node_modules/@s/files': { version: '1.2.3', integrity, bin },
  }
  return JSON.stringify({ name: 'pin', lockfileVersion: 3, requires: true, packages })
}
