// An MCP server that reads its tools from the file in its first argument and announces changes.
import { appendFileSync, existsSync, readFileSync, watch } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , file] = process.argv
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (value) => ({ content: [{ type: 'text', text: value }] })
let last
// The file may be half written.
const read = () => {
  try {
    last = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    if (last === undefined) throw new Error('There are no tools')
  }
  return last
}
const waiting = new Map()

const calls = {
  echo: ({ message }) => ({ ...text(`Echo: ${message}`), structuredContent: { message } }),
  // Leaves a line per call, so that tests can count calls.
  append: ({ file, line }) => {
    appendFileSync(file, `${line}\n`)
    return text('appended')
  },
  fail: () => ({ ...text('it went wrong'), isError: true }),
  pid: () => text(String(process.pid)),
  environment: () => text(Object.keys(process.env).sort().join(' ')),
  large: () => text('x'.repeat(50 * 1024 * 1024)),
}

function answer({ id, method, params }) {
  if (method === 'initialize')
    return send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'listed', version: '1' },
        instructions: read().instructions,
      },
    })
  if (method === 'ping') return send({ id, result: {} })
  if (method === 'tools/list') return send({ id, result: { tools: read().tools } })
  if (method === 'notifications/cancelled') return cancelled(params.requestId)
  if (method !== 'tools/call')
    return id === undefined ? undefined : send({ id, error: { code: -32601, message: 'no' } })
  const { name, arguments: args, _meta } = params
  if (name === 'wait') {
    waiting.set(id, args)
    if (_meta?.progressToken !== undefined)
      send({
        method: 'notifications/progress',
        params: { progressToken: _meta.progressToken, progress: 1, total: 2, message: 'half' },
      })
    // Waits until the caller's file exists, or for ever.
    const timer = setInterval(() => {
      if (!waiting.has(id)) return clearInterval(timer)
      if (args?.until === undefined || !existsSync(args.until)) return undefined
      waiting.delete(id)
      return send({ id, result: text('released') })
    }, 10)
    return undefined
  }
  if (name === 'die') {
    console.error(`I had ${process.env.GIVEN}`)
    return process.exit(7)
  }
  if (name === 'cancelled') return send({ id, result: text(String(gone)) })
  return send({ id, result: calls[name]?.(args ?? {}) ?? { ...text(`no ${name}`), isError: true } })
}

let gone = 0
function cancelled(id) {
  if (waiting.delete(id)) gone++
}

watch(file, () => send({ method: 'notifications/tools/list_changed' }))
createInterface({ input: process.stdin })
  .on('line', (line) => answer(JSON.parse(line)))
  .on('close', () => process.exit(0))
