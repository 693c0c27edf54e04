import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseServerFile } from './parse-server-file.ts'

const file = '/project/.pml/mcp/github.json'
const parse = (content: unknown) =>
  parseServerFile(typeof content === 'string' ? content : JSON.stringify(content), file)
const inList = (server: unknown) => ({ mcpServers: { github: server } })
const problemsOf = (content: unknown) => parse(content).problems

const nothingSaid = {
  description: '',
  isDisabled: false,
  tools: undefined,
  capabilities: undefined,
  startTimeoutMs: undefined,
  callTimeoutMs: undefined,
}

describe('a file of a server', () => {
  it('describes one server, named by its member or by the file', () => {
    const launch = { kind: 'stdio', command: 'npx', args: [], env: {}, cwd: undefined }
    expect(parse({ command: 'npx' })).toEqual({
      servers: [{ name: 'github', ...nothingSaid, launch }],
      problems: [],
    })
    expect(parse({ name: 'hub', command: 'npx' }).servers).toMatchObject([{ name: 'hub' }])
    expect(parseServerFile('{"command":"x"}', 'C:\\pml\\mcp\\hub.json').servers).toMatchObject([
      { name: 'hub' },
    ])
  })

  it('supports every property of a server', () => {
    const { servers, problems } = parse({
      $schema: '../../mcp-server.schema.json',
      _why: { anything: 1 },
      name: 'hub',
      description: 'Issues and code.',
      type: 'stdio',
      command: 'node',
      args: ['server.js', '--root=${ROOT}'],
      env: { TOKEN: 'ghp_0123456789abcdefghij', _JAVA_OPTIONS: '-Xmx1g', OTHER: '${OTHER}' },
      cwd: 'tools',
      tools: ['b', 'a'],
      capabilities: ['tools', 'resources'],
      disabled: true,
      startTimeoutMs: 1000,
      callTimeoutMs: 86_400_000,
    })
    expect(problems).toEqual([])
    expect(servers).toEqual([
      {
        name: 'hub',
        description: 'Issues and code.',
        launch: {
          kind: 'stdio',
          command: 'node',
          args: ['server.js', '--root=${ROOT}'],
          env: { TOKEN: 'ghp_0123456789abcdefghij', _JAVA_OPTIONS: '-Xmx1g', OTHER: '${OTHER}' },
          cwd: 'tools',
        },
        isDisabled: true,
        tools: ['b', 'a'],
        capabilities: ['tools', 'resources'],
        startTimeoutMs: 1000,
        callTimeoutMs: 86_400_000,
      },
    ])
  })

  it.each(['mcpServers', 'servers'])('is a list under %s, with the own keys of editors', (key) => {
    const { servers, problems } = parse({
      inputs: [{ id: 'token', type: 'promptString' }],
      [key]: {
        _note: 'for people',
        far: {
          type: 'streamable-http',
          url: 'https://example.com/mcp',
          headers: { Authorization: 'Bearer ${TOKEN}', _Odd: 'x' },
          timeout: 5,
          trust: true,
          oauth: {},
        },
        near: { command: 'uvx', alwaysAllow: ['x'], autoApprove: [], enabled: false, dev: {} },
      },
    })
    expect(problems).toEqual([])
    expect(servers).toMatchObject([
      {
        name: 'far',
        isDisabled: false,
        launch: {
          kind: 'http',
          url: 'https://example.com/mcp',
          headers: { Authorization: 'Bearer ${TOKEN}', _Odd: 'x' },
        },
      },
      { name: 'near', isDisabled: true, launch: { kind: 'stdio', command: 'uvx' } },
    ])
  })

  it('may have comments, trailing commas and a byte order mark', () => {
    const text = `\u{feff}// ours
{
  /* all of them */
  "mcpServers": {
    "github": { "command": "npx", "args": ["-y", "x",], }, // the first
  },
}
`
    expect(parse(text)).toMatchObject({ servers: [{ name: 'github' }], problems: [] })
  })

  it('keeps valid servers and reports all problems of the others', () => {
    const text = `{
  "mcpServers": {
    "good": { "command": "npx" },
    "bad name": { "command": "npx", "args": "-y" },
    "worse": {
      "comand": "npx",
      "env": { "A": 1, "B-C": "x" }
    },
    "twice": { "command": "a" },
    "twice": { "command": "b", "cwd": 1 }
  },
  "theme": "dark"
}`
    const { servers, problems } = parse(text)
    expect(servers.map(({ name }) => name)).toEqual(['good'])
    expect(problems.map(({ line, column, path }) => [line, column, path])).toEqual([
      [4, 5, 'mcpServers.bad name'],
      [4, 45, 'mcpServers.bad name.args'],
      [6, 7, 'mcpServers.worse.comand'],
      [7, 21, 'mcpServers.worse.env.A'],
      [7, 24, 'mcpServers.worse.env.B-C'],
      [10, 5, 'mcpServers.twice'],
      [10, 39, 'mcpServers.twice.cwd'],
      [12, 3, 'theme'],
    ])
    expect(new Set(problems.map((problem) => problem.file))).toEqual(new Set([file]))
  })

  it('reports all problems even if there are more than twenty', () => {
    const args = Array.from({ length: 50 }, (_, index) => index)
    expect(problemsOf({ command: 'x', args })).toHaveLength(50)
  })

  it('with nothing valid gives no server and ends soon', () => {
    const { servers, problems } = parse(
      `{"mcpServers":{"a":{"command":"x","args":[${'1,'.repeat(400_000)}1]},"b":{"url":1}}}`,
    )
    expect(servers).toEqual([])
    expect(problems).toHaveLength(1000)
  })
})

describe('a text that is not JSON', () => {
  it.each([
    ['', 1, 1],
    ['{', 1, 2],
    ['{\n  "mcpServers": {\n    "github": { "command": "np', 3, 28],
    ['{"command": "x"} x', 1, 18],
    ["{'command': 'x'}", 1, 2],
    ['{"command": "x",, "args": []}', 1, 17],
    ['/* {"command": "x"}', 1, 1],
    ['['.repeat(200_000), 1, 129],
  ])('%#: reports the position', (text, line, column) => {
    const { servers, problems } = parse(text)
    expect(servers).toEqual([])
    expect(problems[0]).toMatchObject({ file, line, column, path: '' })
  })

  it('reports each of its errors', () => {
    const lines = problemsOf('{\n "command" "x",\n "args": [1 2],\n "env": {"A" "b"}\n}').map(
      ({ line }) => line,
    )
    expect(lines).toEqual([2, 3, 4])
  })
})

describe('a server is refused', () => {
  it.each<[string, unknown, string, string]>([
    ['that is no object', 5, 'mcpServers.github', 'expected an object, got a number'],
    ['with neither command nor url', {}, 'mcpServers.github', 'got neither; add one'],
    ['with both', { command: 'x', url: 'https://a.b' }, 'mcpServers.github', 'got both; remove one'],
    ['with an empty command', { command: ' ' }, 'mcpServers.github.command', 'expected a program'],
    ['with arguments in one text', { command: 'x', args: 'y' }, 'mcpServers.github.args', 'expected a list'],
    ['with a number among them', { command: 'x', args: ['y', 1] }, 'mcpServers.github.args[1]', 'a string'],
    ['with a number as a variable', { command: 'x', env: { A: 1 } }, 'mcpServers.github.env.A', 'a string'],
    [
      'with its variables in a list',
      { command: 'x', env: [] },
      'mcpServers.github.env',
      'expected an object',
    ],
    [
      'with the key of pml',
      { command: 'x', env: { PML_API_KEY: 'v' } },
      'mcpServers.github.env.PML_API_KEY',
      'goes to the registry alone',
    ],
    [
      'with a reference to it',
      { command: 'x', args: ['a=${PML_API_KEY}'] },
      'mcpServers.github.args[0]',
      'goes to the registry alone',
    ],
    [
      'with one in a variable',
      { command: 'x', env: { A: 'a${env:PML_API_KEY}' } },
      'mcpServers.github.env.A',
      'goes to the registry alone',
    ],
    [
      'with one in a header',
      { url: 'https://a.b', headers: { A: '${PML_API_KEY}' } },
      'mcpServers.github.headers.A',
      'goes to the registry alone',
    ],
    ['with an empty folder', { command: 'x', cwd: '' }, 'mcpServers.github.cwd', 'expected a folder'],
    ['over plain http', { url: 'http://example.com/mcp' }, 'mcpServers.github.url', 'expected https'],
    ['at something else', { url: 'file:///x' }, 'mcpServers.github.url', 'expected an address'],
    ['over sse', { type: 'sse', url: 'https://a.b' }, 'mcpServers.github.type', 'sse is deprecated'],
    [
      'with a type of the other kind',
      { type: 'http', command: 'x' },
      'mcpServers.github.type',
      'expected "stdio"',
    ],
    ['with an unknown type', { type: 'ws', url: 'https://a.b' }, 'mcpServers.github.type', 'expected "http"'],
    [
      'with headers for a command',
      { command: 'x', headers: {} },
      'mcpServers.github.headers',
      'only beside a url',
    ],
    [
      'with variables for an address',
      { url: 'https://a.b', env: {} },
      'mcpServers.github.env',
      'only beside a command',
    ],
    [
      'with two lines in a header',
      { url: 'https://a.b', headers: { A: 'a\nb' } },
      'mcpServers.github.headers.A',
      'one line',
    ],
    [
      'with a bad name of a tool',
      { command: 'x', tools: ['a b'] },
      'mcpServers.github.tools[0]',
      'a tool name',
    ],
    [
      'with a tool twice',
      { command: 'x', tools: ['a', 'a'] },
      'mcpServers.github.tools[1]',
      'each name once',
    ],
    [
      'with a bad capability',
      { command: 'x', capabilities: ['1'] },
      'mcpServers.github.capabilities[0]',
      'a capability',
    ],
    [
      'that is both on and off',
      { command: 'x', disabled: true, enabled: true },
      'mcpServers.github.enabled',
      'the opposite',
    ],
    [
      'switched by a text',
      { command: 'x', disabled: 'yes' },
      'mcpServers.github.disabled',
      'expected true or false',
    ],
    [
      'with no time at all',
      { command: 'x', startTimeoutMs: 0 },
      'mcpServers.github.startTimeoutMs',
      'from 1 to',
    ],
    [
      'with seconds as a text',
      { command: 'x', callTimeoutMs: '5' },
      'mcpServers.github.callTimeoutMs',
      'got a string',
    ],
    [
      'with its variables elsewhere',
      { command: 'x', envFile: '.env' },
      'mcpServers.github.envFile',
      'under env',
    ],
    [
      'with fewer tools than it has',
      { command: 'x', excludeTools: [] },
      'mcpServers.github.excludeTools',
      'permissions',
    ],
    ['with a second name', { command: 'x', name: 'y' }, 'mcpServers.github.name', 'remove it'],
  ])('%s', (_, server, path, message) => {
    const { servers, problems } = parse(inList(server))
    expect(servers).toEqual([])
    expect(problems).toMatchObject([{ path, message: expect.stringContaining(message) }])
  })

  it.each([
    ['{"name": "a b", "command": "x"}', 'name', 'rename it'],
    ['[]', '', 'expected an object, got an array'],
    ['{}', '', 'got neither'],
    ['{"command": "x", "timeout": 5}', 'timeout', 'startTimeoutMs or callTimeoutMs'],
    ['{"mcpServers": []}', 'mcpServers', 'expected an object'],
    ['{"mcpServers": {}, "servers": {}}', 'servers', 'got both'],
    ['{"mcpServers": {}, "command": "x"}', 'command', 'expected one of $schema, mcpServers, servers'],
    ['{"mcpServer": {"a": {"command": "x"}}}', 'mcpServer', 'expected mcpServers; rename it'],
    ['{"comand": "x"}', 'comand', 'expected command; rename it'],
    ['{"serverUrl": "https://a.b"}', 'serverUrl', 'expected url; rename it'],
    ['{"command": "x", "evn": {}}', 'evn', 'expected env; rename it'],
    ['{"command": "x", "colour": 1}', 'colour', 'expected one of $schema, name, type'],
  ])('as a whole file: %s', (text, path, message) => {
    expect(parse(text).servers).toEqual([])
    expect(problemsOf(text)).toMatchObject([{ path, message: expect.stringContaining(message) }])
  })

  it('when neither it nor its file has a name', () => {
    const { servers, problems } = parseServerFile('{"command": "x"}', '/project/.mcp.json')
    expect(servers).toEqual([])
    expect(problems).toMatchObject([
      { line: 1, column: 1, path: '', message: expect.stringContaining('"name"') },
    ])
  })
})

it('never repeats a value in a problem, not even one used as a key', () => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
  const texts = [
    { command: [secret] },
    { command: 'x', env: { [secret]: 'TOKEN' }, args: { [secret]: secret } },
    { url: `http://${secret}.example.com` },
    { url: `https://u:${secret}@example.com` },
    { url: 'https://a.b', headers: { [`${secret} `]: secret, A: `${secret}\n` } },
    { type: secret, command: 'x', tools: [`${secret} x`], cwd: [secret], [secret]: 1 },
  ].map((server) => JSON.stringify(inList(server)))
  for (const text of [...texts, `{"command": "${secret}`, `{"command": ${secret}}`]) {
    expect(problemsOf(text).length).toBeGreaterThan(0)
    expect(JSON.stringify(problemsOf(text))).not.toContain(secret.slice(4))
  }
})

it('always returns servers and problems', () => {
  const words = fc.constantFrom(
    'mcpServers',
    'servers',
    'command',
    'url',
    'args',
    'env',
    'x',
    'name',
    '__proto__',
  )
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.boolean(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(words, tie('value'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(value, fc.nat(), (content, cut) => {
      const text = JSON.stringify(content)
      for (const part of [text, text.slice(0, cut % (text.length + 1))]) {
        const { servers, problems } = parse(part)
        expect(servers.every(({ name }) => name !== '')).toBe(true)
        expect(problems.every(({ line, column }) => line >= 1 && column >= 1)).toBe(true)
      }
    }),
  )
})
