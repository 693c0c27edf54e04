import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PmlError } from './errors.ts'
import { integrityOf } from './integrity-of.ts'
import { lockBytes, parsePin, printPin, samePin, toolsDigest, type Pin } from './pin.ts'

const file = 'config/pins/files.json'
const hash = (letter: string) => `sha512-${letter.repeat(85)}A==`

const golden = `{
  "$schema": "../pin.schema.json",
  "server": "files",
  "spec": "@scope/files@^1",
  "package": "@scope/files",
  "version": "1.2.3",
  "integrity": "${hash('a')}",
  "bin": "node_modules/@scope/files/dist/index.js",
  "lock": {
    "name": "pin",
    "lockfileVersion": 3,
    "requires": true,
    "packages": {
      "": {
        "name": "pin",
        "dependencies": {
          "@scope/files": "1.2.3"
        }
      },
      "node_modules/@scope/files": {
        "version": "1.2.3",
        "integrity": "${hash('a')}",
        "license": "MIT",
        "dependencies": {
          "left": "^2.0.0"
        },
        "bin": {
          "files": "./dist/index.js"
        }
      },
      "node_modules/left": {
        "version": "2.0.1",
        "integrity": "${hash('b')}",
        "hasInstallScript": true,
        "bundleDependencies": [
          "inner"
        ]
      },
      "node_modules/left/node_modules/inner": {
        "version": "0.1.0",
        "inBundle": true
      }
    }
  },
  "tools": [
    {
      "name": "read",
      "description": "Reads",
      "inputSchema": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string"
          }
        }
      }
    },
    {
      "name": "write",
      "inputSchema": {
        "type": "object"
      }
    }
  ]
}
`

describe('the text of a pin', () => {
  test('parses and prints unchanged', () => {
    expect(printPin(parsePin(golden, file))).toBe(golden)
  })

  test('is equal for any order of members and tools', () => {
    const pin = parsePin(golden, file)
    const { lock, tools, ...rest } = pin
    const shuffled: Pin = { tools: tools?.toReversed() ?? null, lock, ...rest }
    expect(printPin(shuffled)).toBe(golden)
  })

  test('has null for tools that were never listed', () => {
    const pin = parsePin(golden.replace(/"tools": \[.*\]/s, '"tools": null'), file)
    expect(pin.tools).toBeNull()
    expect(printPin(pin)).toContain('\n  "tools": null\n}\n')
  })
})

describe('parsePin refuses', () => {
  test.each([
    ['another schema', '"../pin.schema.json"', '"../pin2.schema.json"', '$schema'],
    ['another server than its file', '"server": "files"', '"server": "filet"', 'server'],
    ['a spec of another package', '"@scope/files@^1"', '"@scope/filet@^1"', 'spec'],
    ['a spec that no registry answers', '"@scope/files@^1"', '"@scope/files@file:x"', 'spec'],
    [
      'a package that is not in the lock',
      '"package": "@scope/files"',
      '"package": "@scope/filet"',
      'package',
    ],
    ['a version other than locked', '"version": "1.2.3",\n  "int', '"version": "1.2.4",\n  "int', 'version'],
    ['a range for a version', '"version": "1.2.3",\n  "int', '"version": "^1.2.3",\n  "int', 'version'],
    [
      'an integrity other than locked',
      `"integrity": "${hash('a')}",\n  "bin"`,
      `"integrity": "${hash('c')}",\n  "bin"`,
      'integrity',
    ],
    ['a bin outside the package', '/@scope/files/dist/index.js', '/@scope/files/../../left/index.js', 'bin'],
    ['a bin of another package', '/@scope/files/dist/index.js', '/left/index.js', 'bin'],
    [
      'a bin at an absolute path',
      '"node_modules/@scope/files/dist',
      '"/node_modules/@scope/files/dist',
      'bin',
    ],
    [
      'a bin that the package does not offer',
      '/dist/index.js",\n  "lock"',
      '/dist/other.js",\n  "lock"',
      'bin',
    ],
    ['another lock version', '"lockfileVersion": 3', '"lockfileVersion": 2', 'lock.lockfileVersion'],
    ['another member', '"spec":', '"note": "",\n  "spec":', ''],
    ['another member of the lock', '"requires": true', '"overrides": {}', 'lock'],
    [
      'an address',
      '"license": "MIT"',
      '"resolved": "https://r.example/x.tgz"',
      'lock.packages.node_modules/@scope/files.resolved',
    ],
    ['a link', '"license": "MIT"', '"link": true', 'lock.packages.node_modules/@scope/files.link'],
    ['another name behind the package', '"license": "MIT"', '"name": "evil"', 'package'],
    ['a package without a hash', `"integrity": "${hash('b')}",`, '', 'lock.packages.node_modules/left'],
    [
      'a weak hash',
      `"${hash('b')}"`,
      '"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="',
      'lock.packages.node_modules/left.integrity',
    ],
    [
      'two hashes',
      `"${hash('b')}"`,
      `"${hash('b')} ${hash('c')}"`,
      'lock.packages.node_modules/left.integrity',
    ],
    [
      'a package without a version',
      '"version": "0.1.0",\n',
      '',
      'lock.packages.node_modules/left/node_modules/inner',
    ],
    [
      "a bundled package in nobody's bundle",
      '"inner"',
      '',
      'lock.packages.node_modules/left/node_modules/inner',
    ],
    [
      'a package that is only beside a bundle',
      ',\n        "inBundle": true',
      '',
      'lock.packages.node_modules/left/node_modules/inner',
    ],
    [
      'a bundled package at the top',
      '"node_modules/left/node_modules/inner"',
      '"node_modules/inner"',
      'lock.packages.node_modules/inner',
    ],
    ['a folder outside node_modules', '"node_modules/left"', '"../left"', 'lock.packages.../left'],
    [
      'a folder that climbs',
      '"node_modules/left"',
      '"node_modules/../left"',
      'lock.packages.node_modules/../left',
    ],
    [
      'a git dependency',
      '"left": "^2.0.0"',
      '"left": "github:o/left"',
      'lock.packages.node_modules/@scope/files',
    ],
    [
      'a file dependency',
      '"left": "^2.0.0"',
      '"left": "file:../left"',
      'lock.packages.node_modules/@scope/files',
    ],
    [
      'an address as dependency',
      '"left": "^2.0.0"',
      '"left": "https://e.com/l.tgz"',
      'lock.packages.node_modules/@scope/files',
    ],
    [
      'a second dependency of the root',
      '"@scope/files": "1.2.3"\n',
      '"@scope/files": "1.2.3", "left": "1.0.0"\n',
      'lock.packages.',
    ],
    ['a range in the root', '"@scope/files": "1.2.3"\n', '"@scope/files": "^1.2.3"\n', 'lock.packages.'],
    [
      'more in the root',
      '"name": "pin",\n        "dep',
      '"name": "pin", "workspaces": ["a"],\n        "dep',
      'lock.packages.',
    ],
    ['tools out of order', '"name": "read"', '"name": "zread"', 'tools'],
    ['a tool twice', '"name": "read"', '"name": "write"', 'tools'],
    ['a tool without a name', '"name": "read"', '"name": ""', 'tools[0].name'],
    [
      'a tool without an input schema',
      /"name": "write",.*/s,
      '"name": "write" } ] }',
      'tools[1].inputSchema',
    ],
    ['no tools at all', /,\n {2}"tools".*/s, '}', 'tools'],
  ])('%s', (_what, from, to, key) => {
    const text = golden.replace(from, to)
    expect(text).not.toBe(golden)
    const problems = problemsOf(text)
    expect(problems.map((problem) => problem.key)).toContain(key)
  })

  test('a file with another name', () => {
    expect(() => parsePin(golden, 'config/pins/other.json')).toThrow(
      'config/pins/other.json:3:13: server: expected the name of its file',
    )
    expect(() => parsePin(golden, 'config/pins/files.json.bak')).toThrow(PmlError)
  })

  test('the same key twice, comments and conflict markers', () => {
    expect(() => parsePin(golden.replace('"spec"', '"server": "files", "spec"'), file)).toThrow(
      'a second time',
    )
    expect(() => parsePin(`// pin\n${golden}`, file)).toThrow(PmlError)
    expect(() => parsePin(`<<<<<<< ours\n${golden}`, file)).toThrow('config/pins/files.json:1:1')
  })

  test('any truncated or random text, with a PmlError', () => {
    const cut = fc.nat(golden.length - 2).map((end) => golden.slice(0, end))
    expect(fc.check(fc.property(fc.oneof(cut, fc.json(), fc.string()), isRefused)).counterexample).toBeNull()
  })
})

describe('digests', () => {
  test('a lock has one integrity for any order of its members', () => {
    const pin = parsePin(golden, file)
    const { packages, ...rest } = pin.lock
    const shuffled = { packages: Object.fromEntries(Object.entries(packages).toReversed()), ...rest }
    expect(lockBytes({ lock: shuffled })).toEqual(lockBytes(pin))
    expect(new TextDecoder().decode(lockBytes(pin))).toMatch(
      /^\{"lockfileVersion":3,"name":"pin","packages":\{"":\{/,
    )
  })

  test('one changed hash in the lock gives another integrity', () => {
    const changed = parsePin(golden.replace(hash('b'), hash('c')), file)
    expect(integrityOf(lockBytes(changed))).not.toBe(integrityOf(lockBytes(parsePin(golden, file))))
    expect(samePin(changed, parsePin(golden, file))).toBe(false)
  })

  test('changes with any part of any tool, but not with their order', () => {
    const tools = parsePin(golden, file).tools ?? []
    const [read, write] = tools
    if (!read || !write) throw new Error('expected two tools')
    expect(toolsDigest([write, read])).toBe(toolsDigest(tools))
    expect(toolsDigest(tools)).toBe('sha256-9133287c4a89ca4e91b040354094159e17f1ac6fdf035193cacf55087e817504')
    expect(toolsDigest([{ ...read, description: 'Reads.' }, write])).not.toBe(toolsDigest(tools))
    expect(toolsDigest([{ ...read, annotations: { readOnlyHint: true } }, write])).not.toBe(
      toolsDigest(tools),
    )
  })
})

function isRefused(text: string): boolean {
  try {
    parsePin(text, file)
    return false
  } catch (error) {
    return error instanceof PmlError
  }
}

function problemsOf(text: string): { key: string }[] {
  try {
    parsePin(text, file)
  } catch (error) {
    if (error instanceof PmlError && Array.isArray(error.detail.problems)) return error.detail.problems
    throw error
  }
  return []
}
