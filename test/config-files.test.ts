import { readdir, readFile } from 'node:fs/promises'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { describe, expect, test } from 'vitest'
import { packageSpecOf, parseServerConfig } from '@pml/core'
import { parseServerFile } from '@pml/core/local-servers'
import {
  approvalConfigJsonSchema,
  builtInApprovalRules,
  parseApprovalConfig,
} from '@pml/core/approval-config'
import { parsePin, printPin } from '@pml/core/pins'
import { compileNative, parsePolicy } from '@pml/hooks'

const config = new URL('../config/', import.meta.url)
const pins = await readdir(new URL('pins/', config))
const { servers, ignored } = parseServerConfig(
  await readConfig('mcp-servers.json'),
  'config/mcp-servers.json',
)

describe('config/mcp-servers.json', () => {
  test('offers at least 28 servers of every kind, each with a one-sentence description', () => {
    expect(servers.length).toBeGreaterThanOrEqual(28)
    expect(ignored).toEqual([])
    expect(new Set(servers.map(({ command }) => command))).toEqual(
      new Set(['npx', 'uvx', 'docker', undefined]),
    )
    for (const { description } of servers) expect(description).toMatch(/^[A-Z].{15,120}\.$/)
  })

  test('leaves versions of npx servers to their pins', () => {
    const specs = servers.flatMap((server) => packageSpecOf(server) ?? [])
    expect(specs.length).toBe(servers.filter(({ command }) => command === 'npx').length)
    for (const { spec, name } of specs) expect(spec).toBe(name)
  })

  test('fits its JSON Schema', async () => {
    const fits = await schemaOf('mcp-servers.schema.json')
    expect(fits(JSON.parse(await readConfig('mcp-servers.json')))).toMatchObject({ errorMessage: undefined })
  })

  test.each([
    [{}],
    [{ mcpServers: [] }],
    [{ mcpServers: { a: {} } }],
    [{ mcpServers: { 'a b': { command: 'x' } } }],
    [{ mcpServers: { a: { command: 'x', url: 'https://example.com' } } }],
    [{ mcpServers: { a: { command: 'x', args: [1] } } }],
    [{ mcpServers: { a: { command: 'x', env: { A: 1 } } } }],
    [{ mcpServers: { a: { command: 'x', headers: {} } } }],
    [{ mcpServers: { a: { url: 'ftp://example.com' } } }],
    [{ mcpServers: { a: { command: 'x', tools: ['a:b'] } } }],
  ])('is refused by both the schema and the parser: %j', async (wrong) => {
    const fits = await schemaOf('mcp-servers.schema.json')
    expect(fits(wrong).valid).toBe(false)
    expect(() => parseServerConfig(JSON.stringify(wrong), 'x.json')).toThrow('Cannot read x.json')
  })
})

describe('config/mcp-server.schema.json', () => {
  const command = { command: 'npx' }
  const url = { url: 'https://example.com/mcp' }
  const all = {
    type: 'stdio',
    description: 'x',
    command: 'npx',
    args: ['-y', '${NAME}'],
    env: { TOKEN: 'secret', _JAVA_OPTIONS: '' },
    cwd: 'tools',
    tools: ['a', 'b.c-d'],
    capabilities: ['tools'],
    disabled: true,
    enabled: false,
    startTimeoutMs: 1,
    callTimeoutMs: 86_400_000,
    _why: 1,
  }
  const good: unknown[] = [
    command,
    url,
    all,
    { ...all, $schema: 'x', name: 'hub' },
    { type: 'http', ...url, headers: { Authorization: 'Bearer ${TOKEN}' } },
    { mcpServers: {} },
    { servers: { a: command }, inputs: [], $schema: 'x', _note: 1 },
    { mcpServers: { a: all, b: { ...url, timeout: 5, trust: true }, '_a note': 5 } },
    ...[
      'https://${HOST}/x',
      'http://localhost:1/x',
      'http://a.localhost',
      'http://127.0.0.1',
      'http://[::1]:2/?a',
    ].map((address) => ({ url: address })),
  ]
  const badServers: unknown[] = [
    {},
    5,
    { ...command, ...url },
    { command: ' ' },
    { command: 1 },
    { ...command, args: '-y' },
    { ...command, args: [1] },
    { ...command, env: [] },
    { ...command, env: { A: 1 } },
    { ...command, env: { 'A-B': 'x' } },
    { ...command, env: { PML_API_KEY: 'x' } },
    { ...command, env: { A: '${PML_API_KEY}' } },
    { ...command, cwd: '' },
    { ...command, headers: {} },
    { ...command, type: 'http' },
    { ...url, type: 'sse' },
    { ...url, type: 'stdio' },
    { ...url, args: [] },
    { ...url, env: {} },
    { ...url, cwd: 'x' },
    { ...url, headers: { 'a b': 'x' } },
    { ...url, headers: { A: 'a\nb' } },
    { ...command, tools: ['a b'] },
    { ...command, tools: ['a', 'a'] },
    { ...command, capabilities: [''] },
    { ...command, disabled: 'yes' },
    { ...command, disabled: true, enabled: true },
    { ...command, startTimeoutMs: 0 },
    { ...command, callTimeoutMs: 1.5 },
    { ...command, envFile: '.env' },
    { comand: 'x' },
    ...[
      'http://example.com',
      'ftp://a.b',
      'https://u:p@a.b',
      'https://',
      'x',
      'http://localhost.example.com',
    ].map((address) => ({ url: address })),
  ]
  const bad: unknown[] = [
    ...badServers,
    ...badServers.map((server) => ({ mcpServers: { a: server } })),
    [],
    { ...command, name: 'a b' },
    { ...command, timeout: 5 },
    { mcpServers: [] },
    { mcpServers: {}, servers: {} },
    { mcpServers: {}, command: 'x' },
    { mcpServers: { 'a b': command } },
    { mcpServers: { a: { ...command, name: 'x' } } },
  ]

  test.each(good.map((content) => [content]))('the schema and the parser both accept %j', async (content) => {
    const fits = await schemaOf('mcp-server.schema.json')
    expect(fits(content)).toMatchObject({ errorMessage: undefined })
    expect(parseServerFile(JSON.stringify(content), 'hub.json').problems).toEqual([])
  })

  test.each(bad.map((content) => [content]))('the schema and the parser both refuse %j', async (content) => {
    const fits = await schemaOf('mcp-server.schema.json')
    expect(fits(content).valid).toBe(false)
    expect(parseServerFile(JSON.stringify(content), 'hub.json').problems).not.toEqual([])
  })
})

describe('config/approvals.json', () => {
  test("fits its JSON Schema, which equals the parser's", async () => {
    const text = await readConfig('approvals.json')
    expect((await schemaOf('approvals.schema.json'))(JSON.parse(text))).toMatchObject({
      errorMessage: undefined,
    })
    expect(JSON.parse(await readConfig('approvals.schema.json'))).toEqual(approvalConfigJsonSchema())
    const { $schema: _schema, _comment, ...rules } = JSON.parse(text) as Record<string, unknown>
    expect(rules).toEqual(builtInApprovalRules)
    const { typeOf } = parseApprovalConfig(text, 'config/approvals.json')
    const paths = ['src/a.test.ts', 'tests/b.py', 'test.js', '.env.local', 'db/migrations/1.sql', 'src/a.ts']
    expect(paths.map((path) => typeOf(path).name)).toEqual([
      'test',
      'test',
      'test',
      'security',
      'architecture',
      'other',
    ])
  })
})

describe('config/enforcement.json', () => {
  const read = (text: string) =>
    parsePolicy(text, 'config/enforcement.json', {
      compile: compileNative,
      examples: 'read',
      installation: [],
    })
  const rule = { id: 'A_RULE', effect: 'block', reason: 'r', suggestion: 's' }

  test('fits its JSON Schema, and the parser accepts it', async () => {
    const text = await readConfig('enforcement.json')
    expect((await schemaOf('enforcement.schema.json'))(JSON.parse(text))).toMatchObject({
      errorMessage: undefined,
    })
    expect(read(text).rules.map(({ id }) => id)).toContain('EXECUTABLE_IN_WORKSPACE')
  })

  test.each([
    [{}],
    [{ version: 2 }],
    [{ version: 1, rule: [] }],
    [{ version: 1, onUnreachable: 'ignore' }],
    [{ version: 1, mcp: { unlocked: 'ask' } }],
    [{ version: 1, disabled: ['GUARD_CHANGED'] }],
    [{ version: 1, operations: { x: { server: 'x' } } }],
    [{ version: 1, rules: {} }],
    [{ version: 1, rules: [{ ...rule, id: 'lower' }] }],
    [{ version: 1, rules: [{ ...rule, effect: 'deny' }] }],
    [{ version: 1, rules: [{ ...rule, effect: { approval: 'a', mcp: 'b' } }] }],
    [{ version: 1, rules: [{ ...rule, agents: ['claud'] }] }],
    [{ version: 1, rules: [{ ...rule, match: {} }] }],
    [{ version: 1, rules: [{ ...rule, match: { extensions: ['js'] } }] }],
    [{ version: 1, rules: [{ ...rule, match: { contents: ['x'] } }] }],
    [{ version: 1, rules: [{ ...rule, unknown: 'maybe' }] }],
    [{ version: 1, rules: [{ ...rule, examples: { match: [{ path: 'a' }] } }] }],
    [{ version: 1, rules: [{ ...rule, reason: undefined }] }],
  ])('the schema and the parser both refuse %j', async (wrong) => {
    const fits = await schemaOf('enforcement.schema.json')
    expect(fits(JSON.parse(JSON.stringify(wrong))).valid).toBe(false)
    expect(() => read(JSON.stringify(wrong))).toThrow('Cannot read config/enforcement.json')
  })
})

describe('config/pins', () => {
  test('exist for exactly the configured servers that npx starts', () => {
    const npx = servers.filter((server) => packageSpecOf(server)).map(({ server }) => `${server}.json`)
    expect(pins.toSorted()).toEqual(npx.toSorted())
  })

  test.each(pins)('%s is a valid pin of the configured server', async (file) => {
    const text = await readConfig(`pins/${file}`)
    const pin = parsePin(text, `config/pins/${file}`)
    const server = servers.find((candidate) => candidate.server === pin.server)
    expect(printPin(pin)).toBe(text)
    expect(server && packageSpecOf(server)?.spec).toBe(pin.spec)
    expect(pin.tools ?? ['not listed']).not.toEqual([])
  })

  test('list tools unless the server needs an account or a network to start', async () => {
    const read = await Promise.all(pins.map(async (file) => parsePin(await readConfig(`pins/${file}`), file)))
    const unknown = read.filter(({ tools }) => tools === null).map(({ server }) => server)
    expect(unknown).toEqual(['apify', 'dbhub', 'figma', 'stripe', 'supabase', 'svelte'])
  })

  test('fit their JSON Schema, which refuses invalid pins', async () => {
    const fits = await schemaOf('pin.schema.json')
    const [pin] = await Promise.all(pins.map(async (file) => JSON.parse(await readConfig(`pins/${file}`))))
    expect(fits(pin)).toMatchObject({ errorMessage: undefined })
    expect(fits({ ...pin, integrity: 'sha1-abc' }).valid).toBe(false)
    expect(fits({ ...pin, bin: '../evil.js' }).valid).toBe(false)
    const address = { version: '1.0.0', resolved: 'https://example.com/x.tgz' }
    expect(fits({ ...pin, lock: { ...pin.lock, packages: { 'node_modules/x': address } } }).valid).toBe(false)
  })

  test('contain no registry address and nothing of the machine that made them', async () => {
    for (const file of pins)
      expect(await readConfig(`pins/${file}`)).not.toMatch(
        /"resolved":|pml-pin-|file:\/\/\/(?:tmp|home|root)\b/,
      )
  })
})

async function schemaOf(file: string) {
  return new AjvJsonSchemaValidator().getValidator(JSON.parse(await readConfig(file)))
}

function readConfig(file: string): Promise<string> {
  return readFile(new URL(file, config), 'utf8')
}
