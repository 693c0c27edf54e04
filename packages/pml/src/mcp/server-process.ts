import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setImmediate as breathe, setTimeout as delay } from 'node:timers/promises'
import { serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { splitLines } from '@pml/core/split-lines'
import { OwnedProcess, type Kill, type ProcessCommand } from '../machine/owned-process.ts'
import { findAnsweredId, LINE_LIMIT_BYTES, MESSAGE_LIMIT_BYTES, tooLargeAnswer } from './too-large.ts'

interface ServerProcessOptions {
  readonly kill: Kill
  /** Called with each line of stderr, without its end. */
  onStderr(line: string): void
}

const STDERR_LIMIT_BYTES = 64 * 1024
const LAST_LINES = 20
/** The exit and the last output arrive in any order. A descendant that holds the pipes open must not delay them. */
const NEWS_MS = 500

/**
 * An MCP server over stdin and stdout. By hand, because the SDK's transport inherits variables, ends only the process that it
 * started, and does not limit messages. Here the environment is exactly what was given, and `close` leaves nothing alive.
 */
export class ServerProcess {
  /** Resolves when the server and all its descendants are gone. */
  readonly closed: Promise<void>
  readonly #options: ServerProcessOptions
  readonly #owned: OwnedProcess
  readonly #words: string[] = []
  #receiver: Transport | undefined
  #setClosed: () => void = () => {}
  #isSilent = false
  #hasEndlessLine = false

  private constructor(command: ProcessCommand, options: ServerProcessOptions) {
    this.#options = options
    this.#owned = new OwnedProcess(command, options.kill)
    this.closed = new Promise((resolve) => (this.#setClosed = resolve))
  }

  /** Rejects with the system's error if the process cannot be started. */
  static async start(command: ProcessCommand, options: ServerProcessOptions): Promise<ServerProcess> {
    const server = new ServerProcess(command, options)
    await server.#owned.started()
    server.#listen()
    return server
  }

  get pid(): number | undefined {
    return this.#owned.child.pid
  }

  /** The last lines of the server's stderr. */
  get stderrTail(): readonly string[] {
    return this.#words
  }

  /** Why it no longer responds, if it does not. */
  get fate(): string | undefined {
    const { exit } = this.#owned
    if (this.#hasEndlessLine) return `it wrote a line of more than ${LINE_LIMIT_BYTES} bytes, so it was ended`
    if (exit === undefined) return this.#isSilent ? 'it closed its stdout' : undefined
    return exit.signal === null ? `it exited with code ${exit.code}` : `it was ended by ${exit.signal}`
  }

  /** A transport for one client. A new one replaces the one before; closing it leaves the server running. */
  connect(): Transport {
    const pipe: Transport = {
      start: async () => void (this.#receiver = pipe),
      send: (message) => this.#send(message),
      close: async () => {
        if (this.#receiver !== pipe) return
        this.#receiver = undefined
        pipe.onclose?.()
      },
    }
    return pipe
  }

  /** Ends the server. Pending requests fail at once. */
  async close(graceMs: number): Promise<void> {
    this.#dismiss()
    await this.#owned.end(graceMs)
    this.#setClosed()
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#owned.child
    const words = splitLines({
      limitBytes: STDERR_LIMIT_BYTES,
      onLine: (line) => this.#hear(line.toString()),
      onLongLine: (head) => this.#hear(`${head.toString()}…`),
    })
    stdin.on('error', (error) => this.#receiver?.onerror?.(error))
    stderr.on('data', (bytes: Buffer) => words.push(bytes)).once('end', () => words.end())
    const lastWord = new Promise<void>((resolve) => stderr.once('close', resolve))
    void this.#closeAfter(this.#receiveAll(stdout), lastWord)
  }

  async #closeAfter(silence: Promise<void>, lastWord: Promise<void>): Promise<void> {
    const { exited } = this.#owned
    await Promise.race([silence, exited])
    const news = Promise.all([silence, lastWord, exited])
    await Promise.race([news, delay(NEWS_MS, undefined, { ref: false })])
    await this.close(0)
  }

  /** Resolves when everything that the server wrote is delivered. */
  async #receiveAll(stdout: Readable): Promise<void> {
    const messages: JSONRPCMessage[] = []
    const lines = splitLines({
      limitBytes: MESSAGE_LIMIT_BYTES,
      onLine: (line) => messages.push(...this.#parse(line.toString())),
      onLongLine: (head, tail) => messages.push(...answerInstead(head.toString(), tail.toString())),
      onGrowth: (lengthBytes) => {
        if (lengthBytes <= LINE_LIMIT_BYTES || this.#hasEndlessLine) return
        this.#hasEndlessLine = true
        stdout.destroy()
        void this.close(0)
      },
    })
    let delivering: Promise<void> | undefined
    stdout.on('data', (bytes: Buffer) => {
      lines.push(bytes)
      this.#deliverAnswers(messages)
      if (messages.length === 0) return
      stdout.pause()
      delivering ??= deliverRest()
    })
    const deliverRest = async () => {
      await this.#deliverAll(messages)
      delivering = undefined
      stdout.resume()
    }
    // This side may close it at any time.
    await once(stdout, 'close').catch(() => undefined)
    await delivering
    this.#isSilent = true
  }

  /** Delivers the responses at the front, which the SDK handles synchronously. */
  #deliverAnswers(messages: JSONRPCMessage[]): void {
    for (let next = messages[0]; next !== undefined && 'id' in next; next = messages[0]) {
      messages.shift()
      this.#receiver?.onmessage?.(next)
    }
  }

  /** Waits after each notification, which the SDK handles asynchronously: one before a response would be lost. */
  async #deliverAll(messages: JSONRPCMessage[]): Promise<void> {
    for (let next = messages.shift(); next !== undefined; next = messages.shift()) {
      this.#receiver?.onmessage?.(next)
      if (!('id' in next)) await breathe()
    }
  }

  /** On a write error, waits for the exit of the server: its reason says more than a broken pipe. */
  async #send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#owned.child
    const error = await new Promise<Error | null | undefined>((done) =>
      stdin.write(serializeMessage(message), done),
    )
    if (!error) return
    await Promise.race([this.closed, delay(NEWS_MS, undefined, { ref: false })])
    throw error
  }

  /** Ignores lines that are not messages. */
  #parse(text: string): JSONRPCMessage[] {
    if (text.trim() === '') return []
    const message = findMessage(text)
    if (message) return [message]
    this.#receiver?.onerror?.(new Error('expected a JSON-RPC message'))
    return []
  }

  #hear(line: string): void {
    const text = line.replace(/\r$/, '')
    this.#words.push(text.slice(-500))
    if (this.#words.length > LAST_LINES) this.#words.shift()
    this.#options.onStderr(text)
  }

  #dismiss(): void {
    const receiver = this.#receiver
    this.#receiver = undefined
    receiver?.onclose?.()
  }
}

/** Checks only the envelope: the SDK validates the rest, and a schema here would double the time of a call. */
function findMessage(text: string): JSONRPCMessage | undefined {
  try {
    const value = JSON.parse(text) as Partial<Record<string, unknown>> | null
    const isMessage = value?.['jsonrpc'] === '2.0' && (typeof value['method'] === 'string' || hasId(value))
    return isMessage ? (value as unknown as JSONRPCMessage) : undefined
  } catch {
    return undefined
  }
}

function hasId({ id }: { readonly id?: unknown }): boolean {
  return typeof id === 'string' || typeof id === 'number'
}

function answerInstead(head: string, tail: string): JSONRPCMessage[] {
  const id = findAnsweredId(head, tail)
  return id === undefined ? [] : [tooLargeAnswer(id)]
}
