import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PmlError } from './errors.ts'
import { parseServerConfig, type ServerConfig } from './server-config.ts'

const file = 'config/mcp-servers.json'

describe('parseServerConfig', () => {
  test('reads local and remote servers', () => {
    const { servers, ignored } = parse({
      $schema: './mcp-servers.schema.json',
      _comment: 'for people',
      mcpServers: {
        _note: { anything: 1 },
        files: { description: 'Files', command: 'npx', args: ['-y', 'pkg', '${ROOT}'], _why: 1 },
        search: {
          url: 'https://example.com/mcp',
          headers: { Authorization: 'Bearer ${KEY}' },
          tools: ['b', 'a'],
        },
      },
    })
    expect(ignored).toEqual([])
    expect(servers).toEqual([
      {
        server: 'files',
        type: 'stdio',
        description: 'Files',
        command: 'npx',
        args: ['-y', 'pkg', '${ROOT}'],
        env: {},
        headers: {},
        envRequired: ['ROOT'],
        tools: [],
      },
      {
        server: 'search',
        type: 'http',
        description: '',
        args: [],
        env: {},
        url: 'https://example.com/mcp',
        headers: { Authorization: 'Bearer ${KEY}' },
        envRequired: ['KEY'],
        tools: ['search:a', 'search:b'],
      },
    ])
  })

  test('reads how a server gets its data folder', () => {
    const state = { env: 'DATA_FILE', file: 'data.jsonl' }
    expect(one({ command: 'npx', args: ['pkg'], state }).state).toEqual(state)
    expect(one({ command: 'npx', args: ['pkg'], state: { argument: '--data=' } }).state).toEqual({
      argument: '--data=',
    })
  })

  test.each([
    ['neither', {}],
    ['both', { env: 'A', argument: '--a' }],
    ['a variable that decides what runs', { env: 'NODE_OPTIONS' }],
    ['a variable of pml', { env: 'PML_API_KEY' }],
    ['a word that is no option', { argument: 'data' }],
    ['a file elsewhere', { env: 'A', file: '../a' }],
    ['no text', { env: 1 }],
  ])('refuses a data location with %s', (_what, state) => {
    expect(() => one({ command: 'npx', args: ['pkg'], state })).toThrow(
      /mcp-servers\.json:\d+:\d+.*expected/s,
    )
  })

  test('refuses a data location beside an address', () => {
    expect(() => one({ url: 'https://a.example', state: { env: 'A' } })).toThrow(
      'expected state beside a command',
    )
  })

  test('requires empty and reference variables, and every reference elsewhere', () => {
    const env = { EMPTY: '', OWN: '${OTHER}', PART: 'x-${PART_OF}', MODE: 'fast', _hidden: '' }
    expect(one({ command: 'npx', args: ['--a=${B}', '${A}', '${A}'], env }).envRequired).toEqual([
      'A',
      'B',
      'EMPTY',
      'OWN',
    ])
    expect(one({ url: 'https://${HOST}/${PATH_PART}?k=${K}' }).envRequired).toEqual([
      'HOST',
      'K',
      'PATH_PART',
    ])
  })

  test('keeps entries of servers', () => {
    const warnings = { createsDotfiles: ['.serena'] }
    expect(one({ command: 'uvx', warnings }).warnings).toEqual(warnings)
  })

  test('reports ignored keys and their positions', () => {
    const text = '{ "mcpServers": { "a": { "command": "npx",\n "timeout": 5 } }, "theme": "dark" }'
    expect(parseServerConfig(text, file).ignored).toEqual([
      `${file}:2:29: theme has no meaning and is ignored`,
      `${file}:2:13: mcpServers.a.timeout has no meaning and is ignored`,
    ])
  })

  test('accepts a byte order mark without moving columns', () => {
    expect(parseServerConfig('\u{feff}{"mcpServers":{}}', file).servers).toEqual([])
    expect(problemsOf('\u{feff}{"mcpServers":[]}')).toMatchObject([
      { line: 1, column: 15, key: 'mcpServers' },
    ])
  })

  test('accepts http only for this machine', () => {
    for (const host of ['localhost:3000', '127.0.0.1', '[::1]:8080', 'mcp.localhost']) {
      expect(one({ url: `http://${host}/mcp` }).type).toBe('http')
    }
    for (const host of ['example.com', '127.0.0.1.example.com', 'localhost.example.com', '10.0.0.1']) {
      expect(problemsOf(config({ url: `http://${host}/mcp` }))).toMatchObject([{ key: 'mcpServers.a.url' }])
    }
  })
})

describe('parseServerConfig refuses, and names the position', () => {
  test.each([
    ['', 1, 1],
    ['   ', 1, 4],
    ['{', 1, 2],
    ['{"mcpServers": {},}', 1, 19],
    ['// comment\n{"mcpServers": {}}', 1, 1],
    ['{"mcpServers": {}} x', 1, 20],
    ["{'mcpServers': {}}", 1, 2],
    ['{"mcpServers":\n  {"a" 1}}', 2, 8],
    ['{"mcpServers": "\u{1}"}', 1, 16],
    [`${'['.repeat(200_000)}`, 1, 129],
  ])('%#: text that is not strict JSON', (text, line, column) => {
    expect(problemsOf(text)[0]).toMatchObject({ line, column })
  })

  test.each([
    ['[]', '', 1, 1],
    ['{}', '', 1, 1],
    ['{"mcpServers": null}', 'mcpServers', 1, 16],
    ['{"mcpServers": {"a": 1}}', 'mcpServers.a', 1, 22],
    ['{"mcpServers": {"a b": {"command": "x"}}}', 'mcpServers.a b', 1, 17],
    ['{"mcpServers": {"a": {}}}', 'mcpServers.a', 1, 22],
    ['{"mcpServers": {"a": {"command": "x", "url": "https://e.com"}}}', 'mcpServers.a', 1, 22],
    ['{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', 'mcpServers.a', 1, 40],
    ['{"mcpServers": {"a": {"command": "x", "args": ["y", 5]}}}', 'mcpServers.a.args[1]', 1, 53],
    ['{"mcpServers": {"a": {"command": "x", "args": "y"}}}', 'mcpServers.a.args', 1, 47],
    ['{"mcpServers": {"a": {"command": ""}}}', 'mcpServers.a.command', 1, 34],
    ['{"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}', 'mcpServers.a.env.A', 1, 52],
    ['{"mcpServers": {"a": {"command": "x", "env": {"A-B": ""}}}}', 'mcpServers.a.env.A-B', 1, 47],
    ['{"mcpServers": {"a": {"command": "x", "headers": {}}}}', 'mcpServers.a.headers', 1, 50],
    ['{"mcpServers": {"a": {"command": "x", "type": "http"}}}', 'mcpServers.a.type', 1, 47],
    ['{"mcpServers": {"a": {"command": "x", "tools": ["a:b"]}}}', 'mcpServers.a.tools[0]', 1, 49],
    ['{"mcpServers": {"a": {"command": "x", "description": 1}}}', 'mcpServers.a.description', 1, 54],
    ['{"mcpServers": {"a": {"command": "\\ud800"}}}', 'mcpServers.a.command', 1, 34],
    ['{"mcpServers": {"a": {"url": "ftp://e.com"}}}', 'mcpServers.a.url', 1, 30],
    ['{"mcpServers": {"a": {"url": "e.com/mcp"}}}', 'mcpServers.a.url', 1, 30],
    ['{"mcpServers": {"a": {"url": "https://me:you@e.com"}}}', 'mcpServers.a.url', 1, 30],
    ['{"mcpServers": {"a": {"url": "https://me@e.com"}}}', 'mcpServers.a.url', 1, 30],
    ['{"mcpServers": {"a": {"url": "https://${A}:${B}@e.com"}}}', 'mcpServers.a.url', 1, 30],
    [
      '{"mcpServers": {"a": {"url": "https://e.com", "headers": {"A b": ""}}}}',
      'mcpServers.a.headers.A b',
      1,
      59,
    ],
    [
      '{"mcpServers": {"a": {"url": "https://e.com", "headers": {"A": "x\\ny"}}}}',
      'mcpServers.a.headers.A',
      1,
      64,
    ],
    ['{"mcpServers": {"a": {"url": "https://e.com", "args": []}}}', 'mcpServers.a.args', 1, 55],
  ])('%s', (text, key, line, column) => {
    expect(problemsOf(text)).toMatchObject([{ key, line, column }])
  })

  test('every problem at once, in the order of the file', () => {
    const text =
      '{"mcpServers": {\n  "a": {"command": 1},\n  "b": {},\n  "c": {"url": "http://example.com"}\n}}'
    expect(problemsOf(text).map(({ line }) => line)).toEqual([2, 3, 4])
    expect(() => parseServerConfig(text, file)).toThrow(
      [
        `Cannot read ${file}, 3 problems:`,
        `${file}:2:20: mcpServers.a.command: expected a string, got a number; put it in double quotes`,
        `${file}:3:8: mcpServers.b: expected a command (a local server) or a url (a remote one), got neither; add one`,
        `${file}:4:16: mcpServers.c.url: expected https, as the host is not this machine; write "https://…"`,
      ].join('\n'),
    )
  })
})

describe('a secret in the file', () => {
  const secret = `${'gh'}p_16C7e42F292c6912E7710c838347Ae178B4a`

  test.each([
    ['env', { command: 'x', env: { TOKEN: secret } }, 'mcpServers.a.env.TOKEN'],
    ['an env name', { command: 'x', env: { [secret]: 'TOKEN' } }, 'mcpServers.a.env.(hidden)'],
    ['args', { command: 'x', args: ['--token', secret] }, 'mcpServers.a.args[1]'],
    [
      'a header',
      { url: 'https://e.com', headers: { Authorization: `Bearer ${secret}` } },
      'mcpServers.a.headers.Authorization',
    ],
    ['a url', { url: `https://e.com/mcp?key=${secret}` }, 'mcpServers.a.url'],
    ['a url password', { url: `https://me:${secret}@e.com/mcp` }, 'mcpServers.a.url'],
    [
      'a connection string',
      { command: 'x', env: { DATABASE_URL: `pg://u:${secret}@h/d` } },
      'mcpServers.a.env.DATABASE_URL',
    ],
    ['the command', { command: secret }, 'mcpServers.a.command'],
  ])('is refused in %s with its position, never its value', (_where, server, key) => {
    const error = refusalOf(config(server))
    expect(error.detail).toMatchObject({ problems: [{ key, line: 1 }] })
    expect(JSON.stringify(error) + error.message + error.stack).not.toContain(secret)
  })

  test('is not repeated even if the text around it is broken', () => {
    const whole = config({ command: 'x', env: { TOKEN: secret }, [secret]: secret, args: secret })
    for (let end = 0; end < whole.length; end++) {
      const error = refusalOf(whole.slice(0, end) + whole.slice(end + 1))
      expect(error.message).not.toContain(secret.slice(0, 20))
    }
  })
})

describe('for any text', () => {
  test('returns servers or throws a PmlError', () => {
    expect(findSurprise(fc.string({ unit: 'binary' }))).toBeNull()
    expect(findSurprise(fc.json())).toBeNull()
    expect(findSurprise(fc.string({ unit: fc.constantFrom(...'{}[]",:\\\n\t01a"') }))).toBeNull()
  })

  test('also for any value in the place of a server', () => {
    const value = fc.oneof(fc.string(), fc.jsonValue(), fc.constantFrom('${A}', 'https://e.com', 'npx'))
    const keys = fc.constantFrom(
      'command',
      'args',
      'env',
      'url',
      'headers',
      'tools',
      'warnings',
      'type',
      '_c',
      'x',
    )
    const servers = fc.dictionary(fc.string(), fc.dictionary(keys, value))
    expect(findSurprise(servers.map((mcpServers) => JSON.stringify({ mcpServers })))).toBeNull()
  })
})

/** Finds a text that gives neither servers nor a PmlError. */
function findSurprise(texts: fc.Arbitrary<string>): unknown {
  return fc.check(fc.property(texts, answersOrRefuses)).counterexample
}

function answersOrRefuses(text: string): boolean {
  try {
    return Array.isArray(parseServerConfig(text, file).servers)
  } catch (error) {
    return error instanceof PmlError
  }
}

function parse(value: object) {
  return parseServerConfig(JSON.stringify(value, null, 2), file)
}

function config(server: object): string {
  return JSON.stringify({ mcpServers: { a: server } })
}

function one(server: object): ServerConfig {
  const [only] = parseServerConfig(config(server), file).servers
  if (!only) throw new Error('expected a server')
  return only
}

function refusalOf(text: string): PmlError {
  try {
    parseServerConfig(text, file)
  } catch (error) {
    if (error instanceof PmlError) return error
    throw error
  }
  throw new Error('expected a refusal')
}

function problemsOf(text: string): { line: number; column: number; key: string; message: string }[] {
  const error = refusalOf(text)
  expect(error.code).toBe('invalid_config')
  const { problems } = error.detail
  if (!Array.isArray(problems)) throw new Error('expected problems')
  return problems
}
