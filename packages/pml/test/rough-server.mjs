// A misbehaving MCP server; its first argument chooses how. Writes its process ids into the file `pids`.
import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, closeSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const manner = process.argv[2]
const note = (...pids) => appendFileSync('pids', pids.map((pid) => `${pid} `).join(''))
const idle = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'
note(process.pid)
appendFileSync('starts', '.')

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const say = (text) => process.stdout.write(text)
const tool = (name) => ({
  name,
  description: Object.keys(process.env).sort().join(),
  inputSchema: { type: 'object', $comment: 'kept' },
  annotations: { other: true },
  'x-more': [1],
})

// State that calls and pings change.
let moreTools = []
let unansweredChecks = 0
let listener

const beginnings = {
  recovers() {
    if (readFileSync('starts').length < 5) process.exit(3)
  },
  flood() {
    const more = () => {
      while (process.stdout.write(`${'tick '.repeat(2000)}\n`));
      process.stdout.once('drain', more)
    }
    more()
  },
  fickle() {
    setInterval(() => send({ method: 'notifications/tools/list_changed' }), 1)
  },
  chatty() {
    setInterval(() => console.error('still thinking'), 20)
  },
  crash() {
    console.error('first words')
    console.error('no key, no service')
    process.exit(3)
  },
  family() {
    // These two processes do not get their parent's environment.
    const child = spawn(process.execPath, ['-e', idle], { stdio: 'ignore', env: {} })
    const loner = spawn(process.execPath, ['-e', idle], { stdio: 'ignore', env: {}, detached: true })
    note(child.pid, loner.pid)
    // A parent that exits immediately, with a child in its own session.
    const orphan = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(idle)}], { stdio: 'ignore', detached: true }); require('node:fs').appendFileSync('pids', child.pid + ' '); child.unref()`
    spawnSync(process.execPath, ['-e', orphan], { stdio: 'ignore' })
    process.on('SIGTERM', () => {})
    setInterval(() => {}, 1000)
  },
  daemons() {
    const one = spawn(process.execPath, ['-e', idle], { stdio: 'ignore', detached: true })
    const two = spawn(process.execPath, ['-e', idle], { stdio: 'inherit', detached: true })
    note(one.pid, two.pid)
  },
  stubborn() {
    process.stdin.on('end', () => writeFileSync('unmoved', 'stdin ended'))
    process.on('SIGTERM', () => {})
    setInterval(() => {}, 1000)
  },
  polite() {
    process.stdin.on('end', () => {
      writeFileSync('goodbye', 'stdin ended')
      process.exit(0)
    })
  },
  terminated() {
    setInterval(() => {}, 1000)
    process.on('SIGTERM', () => {
      writeFileSync('goodbye', 'terminated')
      process.exit(0)
    })
  },
  mute() {
    setInterval(() => {}, 1000)
    closeSync(1)
  },
}

const answers = {
  initialize: ({ params }) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'rough', version: '1' },
    instructions: 'Be patient',
  }),
  'tools/list': ({ params }) =>
    manner === 'endless'
      ? { tools: [], nextCursor: 'more' }
      : params?.cursor === 'next'
        ? { tools: [tool('a'), ...moreTools.map(tool)] }
        : { tools: [tool('b')], nextCursor: 'next' },
  ping: () => ({}),
  'tools/call': ({ params }) => ({
    content: [{ type: 'text', text: JSON.stringify(params.arguments) }, { type: 'from the future' }],
    structuredContent: params.arguments,
    isError: params.name === 'fails',
  }),
  'server/discover': () => ({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: { listChanged: true } },
    instructions: 'Only modern',
    ttlMs: 0,
    cacheScope: 'private',
  }),
}

const specials = {
  silent: () => {},
  chatty: () => {},
  // An unknown revision, for any client.
  future(message) {
    if (message.method !== 'initialize') return specials['strict-future'](message)
    send({ id: message.id, result: { ...resultOf(message), protocolVersion: '2099-01-01' } })
  },
  'strict-future'(message) {
    const data = { supported: ['2099-01-01'], requested: '2026-07-28' }
    send({ id: message.id, error: { code: -32022, message: 'Unsupported protocol version', data } })
  },
  mute: () => {},
  garbage(message) {
    say('Welcome!\n\n\u{1}\u{0}{"jsonrpc":"2.0"}\n[]\nnull\n{"jsonrpc":"2.0","id":{},"result":1}\n')
    process.stdout.write(Buffer.from([0xff, 0xfe, 0xe2, 0x82, 10]))
    say(`${'x'.repeat(17 * 1024 * 1024)}\n`)
    process.stderr.write(Buffer.from([0xe2, 0x82]))
    const line = Buffer.from(
      `${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) })}\r\n`,
    )
    // Splits within a multi-byte character if there is one.
    const at = line.indexOf(0xe2) + 1
    process.stdout.write(line.subarray(0, at), () =>
      setTimeout(() => {
        process.stderr.write(Buffer.from([0xac, 10]))
        process.stdout.write(line.subarray(at))
      }, 20),
    )
  },
  modern(message) {
    if (message.method === 'initialize')
      return send({
        id: message.id,
        error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'], requested: 'x' } },
      })
    if (message.method === 'subscriptions/listen') {
      listener = { 'io.modelcontextprotocol/subscriptionId': message.id }
      const params = { _meta: listener, notifications: message.params.notifications }
      return send({ method: 'notifications/subscriptions/acknowledged', params })
    }
    if (message.params?.name === 'retools') changeTools()
    send({
      id: message.id,
      result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...resultOf(message) },
    })
  },
  refusing(message) {
    console.error('I want a key')
    send({ id: message.id, error: { code: -32000, message: 'not today' } })
  },
}

const changeTools = () => {
  moreTools = [...moreTools, `new${moreTools.length}`]
  send({ method: 'notifications/tools/list_changed', params: listener ? { _meta: listener } : {} })
}

const calls = {
  waits: () => {},
  retools(message) {
    changeTools()
    send({ id: message.id, result: resultOf(message) })
  },
  // The next pings get no response.
  ignores(message) {
    unansweredChecks = message.params.arguments.checks
    send({ id: message.id, result: resultOf(message) })
  },
  tarries: (message) =>
    setTimeout(() => {
      appendFileSync('heard', 'answered ')
      send({ id: message.id, result: resultOf(message) })
    }, 300),
  // Nothing gets a response any more.
  hangs: () => (unansweredChecks = Infinity),
  lists: ({ id }) =>
    send({ id, result: { content: [], structuredContent: [1, 2], _meta: { 'x.example/cost': 3 } } }),
  enormous: ({ id }) =>
    send({ id, result: { content: [{ type: 'text', text: 'x'.repeat(50 * 1024 * 1024) }] } }),
  dies: () => process.exit(7),
  'closes-stdout': () => closeSync(1),
  huge: ({ id }) => send({ id, result: { content: [{ type: 'text', text: 'x'.repeat(17 * 1024 * 1024) }] } }),
  'line-without-end': () => {
    const more = () => process.stdout.write('x'.repeat(1024 * 1024), more)
    more()
  },
  'huge-id-last': ({ id }) =>
    say(`{"result":{"content":["${'x'.repeat(17 * 1024 * 1024)}"]},"jsonrpc":"2.0","id":${id}}\n`),
  unknown: ({ id }) =>
    send({ id, error: { code: -32602, message: 'MCP error -32602: Tool unknown not found' } }),
  strict: ({ id }) =>
    send({ id, error: { code: -32602, message: 'Invalid arguments for tool strict: a: Required' } }),
  broken: ({ id }) => send({ id, error: { code: -32603, message: 'it broke' } }),
  odd: ({ id }) => send({ id, result: { toolResult: 1 } }),
  progresses(message) {
    const { _meta: meta } = message.params
    const params = { progressToken: meta.progressToken, progress: 1, total: 2, message: 'half' }
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params }
    const answer = { jsonrpc: '2.0', id: message.id, result: resultOf(message) }
    // One write, so that both are read together.
    say(`${JSON.stringify(progress)}\n${JSON.stringify(answer)}\n`)
  },
}

const resultOf = (message) => answers[message.method](message)
beginnings[manner]?.()
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  appendFileSync('heard', `${message.method} `)
  if (message.id === undefined) return
  if (unansweredChecks === Infinity) return
  if (message.method === 'ping' && unansweredChecks-- > 0) return
  const special =
    specials[manner] ?? (message.method === 'tools/call' ? calls[message.params.name] : undefined)
  if (special) return special(message)
  send({ id: message.id, result: resultOf(message) })
})
