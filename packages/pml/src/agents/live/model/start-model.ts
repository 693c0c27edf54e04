import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import type { ToolUse } from '@pml/hooks/agents'
import { sendJson, type Conversation, type Dialect, type Json } from './dialect.ts'
import { gemini } from './gemini.ts'
import { responses } from './responses.ts'

const dialects: readonly Dialect[] = [anthropic, responses, chat, gemini]

const MOST_REFUSED = 10
const MOST_BYTES = 64 * 1024 * 1024

/** The word in the prompt of a subagent that tells its conversation from the main one. */
export const SUBAGENT = 'SUBAGENT'

/** Calls that the model makes at once. */
type Turn = readonly ToolUse[]

interface Script {
  readonly main: readonly Turn[]
  readonly sub: readonly Turn[]
  /** Awaited once for each turn of the main conversation: its results have come, and the next turn is not answered yet. */
  settled(turn: number, results: readonly string[]): Promise<void>
  /** Gets everything that was asked, as lines of JSON. */
  heard(line: string): void
}

export interface Model {
  readonly url: string
  /** From the answer of a turn to the request with its results, by the number of the turn. */
  readonly callMs: ReadonlyMap<number, number>
  /** The tools that were offered last in the main conversation. */
  tools(): readonly string[]
  /** What the subagent's tools answered. */
  subResults(): readonly string[]
  /** Whom the agent wanted to reach by the model as its proxy, and did not. */
  refused(): readonly string[]
  /** Resolves when the subagent has made all of its calls, or when the time is over. */
  subagentDone(timeoutMs: number): Promise<void>
  close(): Promise<void>
}

/**
 * A model on loopback that follows a script. It keeps no state of its own: the results in a conversation say which turn is next,
 * so a request that is repeated gets the same answer. As a proxy it leads to itself and to nobody else.
 */
export async function startModel(script: Script): Promise<Model> {
  const refused = new Set<string>()
  const callMs = new Map<number, number>()
  const answeredAt = new Map<number, number>()
  const settling = new Map<number, Promise<void>>()
  let tools: readonly string[] = []
  let subResults: readonly string[] = []
  let subagentEnds = () => {}
  const subagentEnded = new Promise<void>((done) => (subagentEnds = done))

  const settle = (turn: number, results: readonly string[], at: number) => {
    const start = answeredAt.get(turn)
    if (start !== undefined && !callMs.has(turn)) callMs.set(turn, at - start)
    const known = settling.get(turn) ?? script.settled(turn, results)
    settling.set(turn, known)
    return known
  }

  const converse = async (said: Conversation): Promise<Turn> => {
    const at = performance.now()
    // A person's own notes for agents may have the word.
    if (script.sub.length > 0 && said.prompt.includes(SUBAGENT)) {
      if (said.results.length > subResults.length) subResults = said.results
      const next = script.sub[findTurn(script.sub, said.results.length)]
      if (next === undefined) subagentEnds()
      return next ?? []
    }
    tools = said.tools
    const next = findTurn(script.main, said.results.length)
    if (next > 0) await settle(next - 1, resultsOf(script.main, next - 1, said.results), at)
    answeredAt.set(next, performance.now())
    return script.main[next] ?? []
  }

  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      script.heard(JSON.stringify({ failed: String(error) }))
      response.destroy()
    })
  })

  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const refuse = (host: string, say: () => unknown) => {
    if (refused.size < MOST_REFUSED) refused.add(host)
    say()
  }

  server.on('connect', ({ url: host = '' }: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined)
    if (`http://${host}` !== url())
      return refuse(host, () => socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'))
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    socket.unshift(head)
    server.emit('connection', socket)
  })

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { host, pathname: path } = new URL(request.url ?? '', url())
    if (host !== new URL(url()).host) return refuse(host, () => response.writeHead(403).end())
    const body = parse(await readAll(request))
    const dialect = dialects.find((one) => one.speaks(path))
    if (dialect === undefined) {
      script.heard(JSON.stringify({ method: request.method, path }))
      return answerOther(path, response)
    }
    const said = dialect.read(body)
    // Titles, summaries and checks come without tools.
    const calls = said.tools.length === 0 ? [] : await converse(said)
    const heard = { dialect: dialect.name, ...said, prompt: said.prompt.slice(-400), calls, body }
    script.heard(JSON.stringify(heard))
    const text = said.tools.length === 0 ? '{"title":"scripted","isNewTopic":false}' : 'done'
    return dialect.write(response, { calls, text }, { body, path })
  }

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: url(),
    callMs,
    tools: () => tools,
    subResults: () => subResults,
    refused: () => [...refused],
    subagentDone: async (timeoutMs) => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((done) => (timer = setTimeout(done, timeoutMs)))
      await Promise.race([subagentEnded, late])
      clearTimeout(timer)
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}

/** The number of the turn that comes after this many results. */
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
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > MOST_BYTES) throw new Error(`Cannot read a request: it has more than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return {}
  }
}
