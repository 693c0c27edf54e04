import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { readBounded } from '../../../machine/read-bounded.ts'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import type { ToolUse } from '@pml/hooks/agents'
import { sendJson, type Conversation, type Dialect, type Json } from './dialect.ts'
import { gemini } from './gemini.ts'
import { responses } from './responses.ts'

const dialects: readonly Dialect[] = [anthropic, responses, chat, gemini]

const MOST_REFUSED = 10
const MOST_BYTES = 64 * 1024 * 1024

/** The word in a subagent's prompt that identifies its conversation. */
export const SUBAGENT = 'SUBAGENT'

/** The calls that the model makes in one response. */
type Turn = readonly ToolUse[]

interface Script {
  readonly main: readonly Turn[]
  readonly sub: readonly Turn[]
  /** Awaited once per turn of the main conversation, after its results and before the next response. */
  settled(turn: number, results: readonly string[]): Promise<void>
  /** Called with every request as a line of JSON. */
  heard(line: string): void
}

export interface Model {
  readonly url: string
  /** The time from the response of a turn to the request with its results, by turn. */
  readonly callMs: ReadonlyMap<number, number>
  /** The tools in the latest request of the main conversation. */
  tools(): readonly string[]
  /** The results of the subagent's tools. */
  subResults(): readonly string[]
  /** Hosts that the agent tried to reach through the model as a proxy. */
  refused(): readonly string[]
  /** Resolves when the subagent has made all its calls, or at the timeout. */
  subagentDone(timeoutMs: number): Promise<void>
  close(): Promise<void>
}

/**
 * A model on loopback that follows a script. It keeps no state of its own: the results in a conversation say which turn is next,
 * so a repeated request gets the same answer. As a proxy it connects to itself alone.
 */
export async function startModel(script: Script): Promise<Model> {
  const follower = new ScriptFollower(script)
  const refused = new Set<string>()
  const refuse = (host: string) => void (refused.size < MOST_REFUSED && refused.add(host))
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { host, pathname: path } = new URL(request.url ?? '', url())
    if (host === new URL(url()).host) return follower.answer(path, { request, response })
    refuse(host)
    response.writeHead(403).end()
  }
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      script.heard(JSON.stringify({ failed: String(error) }))
      response.destroy()
    })
  })
  server.on('connect', ({ url: host = '' }: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined)
    if (`http://${host}` !== url()) {
      refuse(host)
      return socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
    }
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    socket.unshift(head)
    server.emit('connection', socket)
  })

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: url(),
    callMs: follower.callMs,
    tools: () => follower.tools,
    subResults: () => follower.subResults,
    refused: () => [...refused],
    subagentDone: (timeoutMs) => follower.subagentDone(timeoutMs),
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}

/** Answers requests with the turns of a script. */
class ScriptFollower {
  readonly callMs = new Map<number, number>()
  tools: readonly string[] = []
  subResults: readonly string[] = []
  readonly #script: Script
  readonly #answeredAt = new Map<number, number>()
  readonly #settling = new Map<number, Promise<void>>()
  readonly #subagentEnded: Promise<void>
  #endSubagent = () => {}

  constructor(script: Script) {
    this.#script = script
    this.#subagentEnded = new Promise((done) => (this.#endSubagent = done))
  }

  async answer(
    path: string,
    { request, response }: { request: IncomingMessage; response: ServerResponse },
  ): Promise<void> {
    const body = parse(await readAll(request))
    const dialect = dialects.find((one) => one.speaks(path))
    if (dialect === undefined) {
      this.#script.heard(JSON.stringify({ method: request.method, path }))
      return answerOther(path, response)
    }
    const said = dialect.read(body)
    // Requests for titles, summaries and checks offer no tools.
    const calls = said.tools.length === 0 ? [] : await this.#converse(said)
    const heard = { dialect: dialect.name, ...said, prompt: said.prompt.slice(-400), calls, body }
    this.#script.heard(JSON.stringify(heard))
    const text = said.tools.length === 0 ? '{"title":"scripted","isNewTopic":false}' : 'done'
    return dialect.write(response, { calls, text }, { body, path })
  }

  async subagentDone(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((done) => (timer = setTimeout(done, timeoutMs)))
    await Promise.race([this.#subagentEnded, late])
    clearTimeout(timer)
  }

  async #converse({ tools, prompt, results }: Conversation): Promise<Turn> {
    const at = performance.now()
    const { main, sub } = this.#script
    // A script without a subagent: a person's own notes for agents may contain the word.
    if (sub.length > 0 && prompt.includes(SUBAGENT)) {
      if (results.length > this.subResults.length) this.subResults = results
      const next = sub[findTurn(sub, results.length)]
      if (next === undefined) this.#endSubagent()
      return next ?? []
    }
    this.tools = tools
    const next = findTurn(main, results.length)
    if (next > 0) await this.#settle(next - 1, resultsOf(main, next - 1, results), at)
    this.#answeredAt.set(next, performance.now())
    return main[next] ?? []
  }

  #settle(turn: number, results: readonly string[], at: number): Promise<void> {
    const start = this.#answeredAt.get(turn)
    if (start !== undefined && !this.callMs.has(turn)) this.callMs.set(turn, at - start)
    const known = this.#settling.get(turn) ?? this.#script.settled(turn, results)
    this.#settling.set(turn, known)
    return known
  }
}

/** The turn after this many results. */
function findTurn(turns: readonly Turn[], results: number): number {
  let made = 0
  const found = turns.findIndex((turn) => {
    made += turn.length
    return made > results
  })
  return found < 0 ? turns.length : found
}

function resultsOf(turns: readonly Turn[], turn: number, results: readonly string[]): readonly string[] {
  const before = turns.slice(0, turn).reduce((sum, { length }) => sum + length, 0)
  return results.slice(before, before + (turns[turn]?.length ?? 0))
}

function answerOther(path: string, response: ServerResponse): void {
  if (/count_?tokens$/i.test(path)) return sendJson(response, { input_tokens: 10, totalTokens: 10 })
  if (path.endsWith('/models')) {
    return sendJson(response, { object: 'list', data: [{ id: 'scripted', object: 'model' }], models: [] })
  }
  response.writeHead(404, { 'content-type': 'application/json' })
  return void response.end('{"error":{"message":"there is no such page","type":"not_found_error"}}')
}

async function readAll(request: IncomingMessage): Promise<string> {
  const bytes = await readBounded(request, MOST_BYTES)
  if (bytes.length > MOST_BYTES)
    throw new Error(`Cannot read a request: it has more than ${MOST_BYTES} bytes`)
  return bytes.toString('utf8')
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return {}
  }
}
