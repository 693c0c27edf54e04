import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { memoTools } from '../../test/memo-tools.ts'
import { createToolbox } from '../toolbox.ts'
import { serveOverStdio, type StdioConnection } from './stdio.ts'

let input: PassThrough
let output: PassThrough
let connection: StdioConnection
let faults: unknown[]

beforeEach(() => {
  input = new PassThrough()
  output = new PassThrough()
  faults = []
  const toolbox = createToolbox(memoTools(), {
    findRefusal: () => undefined,
    onRefusal: () => {},
    begin: () => ({}) as never,
    explain: (_caller, fault) => fault as never,
  })
  connection = serveOverStdio(toolbox, undefined, {
    info: { name: 'memo', version: '1' },
    input,
    output,
    maxBodyBytes: 10_000,
    onFault: (fault) => faults.push(fault),
  })
})

const initialize = {
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}

/** The response with this id, after skipping other messages. */
async function answerTo(id: string): Promise<{ result?: unknown; error?: unknown }> {
  let text = ''
  for (;;) {
    const line = text.split('\n').find((one) => one.includes(`"id":"${id}"`))
    if (line !== undefined && text.includes(`${line}\n`)) return JSON.parse(line) as { result?: unknown }
    const chunk: Buffer | null = output.read() as Buffer | null
    if (chunk) text += chunk.toString()
    else await new Promise((done) => output.once('readable', done))
  }
}

const say = (message: unknown) =>
  void input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)

describe('invalid or unusual lines', () => {
  it('are skipped, and the following lines are answered', async () => {
    const odd = fc.oneof(
      fc.string().map((text) => text.replaceAll('\n', ' ')),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc
        .record(
          {
            jsonrpc: fc.constantFrom('2.0', '1.0'),
            id: fc.jsonValue(),
            method: fc.oneof(
              fc.constantFrom('tools/call', 'tools/list', 'ping', 'notifications/cancelled'),
              fc.jsonValue(),
            ),
            params: fc.jsonValue(),
            result: fc.jsonValue(),
            error: fc.jsonValue(),
          },
          { requiredKeys: ['jsonrpc'] },
        )
        .map((value) => JSON.stringify(value)),
    )
    say(initialize)
    expect(await answerTo('first')).toHaveProperty('result')
    for (const line of fc.sample(odd, 500)) if (!line.includes('"last"')) say(line.slice(0, 9000))
    say({ jsonrpc: '2.0', id: 'last', method: 'tools/list', params: {} })
    expect(await answerTo('last')).toHaveProperty('result')
  })

  it('may arrive in any chunks, also split within a character', async () => {
    const bytes = Buffer.from(
      `${JSON.stringify({ ...initialize, params: { ...initialize.params, clientInfo: { name: 'ä€😀', version: '1' } } })}\r\n`,
    )
    for (const byte of bytes) input.write(Buffer.from([byte]))
    expect(await answerTo('first')).toHaveProperty('result')
  })
})

describe('the connection', () => {
  it.each([
    ['a line over the limit', `${'x'.repeat(10_001)}\n`],
    ['a line over the limit that does not end', 'x'.repeat(10_001)],
  ])('ends with %s', async (_what, text) => {
    input.write(text)
    await connection.closed
    expect(input.destroyed).toBe(true)
  })

  it('ignores all input with and after a line over the limit', async () => {
    say(initialize)
    await answerTo('first')
    input.write(`${'x'.repeat(10_001)}\n${JSON.stringify({ jsonrpc: '2.0', id: 'late', method: 'ping' })}\n`)
    await connection.closed
    await new Promise(setImmediate)
    expect(output.read()).toBeNull()
  })

  it('accepts a line of exactly the limit', async () => {
    const text = JSON.stringify(initialize)
    input.write(`${' '.repeat(10_000 - text.length)}${text}\n`)
    expect(await answerTo('first')).toHaveProperty('result')
  })

  it('ends with its input', async () => {
    input.end()
    await connection.closed
    expect(input.destroyed).toBe(true)
  })

  it('ends when its output is no longer read', async () => {
    say(initialize)
    await answerTo('first')
    output.destroy(new Error('EPIPE'))
    await connection.closed
    expect(input.destroyed).toBe(true)
  })
})

it('waits for a slow client with a single listener, and delivers everything', async () => {
  say(initialize)
  await answerTo('first')
  const ids = Array.from({ length: 300 }, (_, index) => `slow-${index}`)
  for (const id of ids) say({ jsonrpc: '2.0', id, method: 'tools/list' })
  await expect.poll(() => output.listenerCount('drain')).toBe(1)
  let text = ''
  output.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await expect.poll(() => ids.filter((id) => text.includes(`"id":"${id}"`)).length).toBe(ids.length)
  expect(output.listenerCount('drain')).toBeLessThanOrEqual(1)
})
