import type { Readable } from 'node:stream'
import { setImmediate as breathe, setTimeout as delay } from 'node:timers/promises'
import {
  deserializeMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import { OwnedProcess, type Kill, type ProcessCommand } from './owned-process.ts'
import { splitLines } from './split-lines.ts'
import { findAnsweredId, MESSAGE_LIMIT_BYTES, tooLargeAnswer } from './too-large.ts'

export interface ServerProcessOptions {
  readonly kill: Kill
  /** Each line of stderr as it comes, without its end. */
  onStderr(line: string): void
}

const STDERR_LIMIT_BYTES = 64 * 1024
const LAST_LINES = 20
/** News of the end and the last words before it come in any order; whoever holds the pipes open must not delay them. */
const NEWS_MS = 500

/**
 * A server that is spoken to over stdin and stdout. The SDK's own transport inherits variables, ends only the process that it
 * started and trusts what it reads; here the environment is what was given, and `close` leaves nothing alive.
 */
export class ServerProcess {
  /** Settles when the server and everything that came from it is gone. */
  readonly closed: Promise<void>
  readonly #options: ServerProcessOptions
  readonly #owned: OwnedProcess
  readonly #words: string[] = []
  #receiver: Transport | undefined
  #setClosed: () => void = () => {}
  #isSilent = false

  private constructor(command: ProcessCommand, options: ServerProcessOptions) {
    this.#options = options
    this.#owned = new OwnedProcess(command, options.kill)
    this.closed = new Promise((resolve) => (this.#setClosed = resolve))
  }

  /** Rejects with the system's error when there is nothing to start. */
  static async start(command: ProcessCommand, options: ServerProcessOptions): Promise<ServerProcess> {
    const server = new ServerProcess(command, options)
    await server.#owned.started()
    server.#listen()
    return server
  }

  get pid(): number | undefined {
    return this.#owned.child.pid
  }

  /** The end of what the server wrote to stderr. */
  get lastWords(): readonly string[] {
    return this.#words
  }

  /** Why it does not answer any more, if it does not. */
  get fate(): string | undefined {
    const { exit } = this.#owned
    if (exit === undefined) return this.#isSilent ? 'it closed its stdout' : undefined
    return exit.signal === null ? `it exited with code ${exit.code}` : `it was ended by ${exit.signal}`
  }

  /** A connection for one client. A later one takes the place of the one before; closing it leaves the server running. */
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

  /** Whoever waits for an answer learns at once that there is none. */
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

  async #receiveAll(stdout: Readable): Promise<void> {
    const messages: JSONRPCMessage[] = []
    const lines = splitLines({
      limitBytes: MESSAGE_LIMIT_BYTES,
      onLine: (line) => messages.push(...this.#parse(line.toString())),
      onLongLine: (head, tail) => messages.push(...answerInstead(head.toString(), tail.toString())),
    })
    try {
      for await (const bytes of stdout) {
        lines.push(bytes as Buffer)
        for (const message of messages.splice(0)) await this.#deliver(message)
      }
    } catch {
      // It was closed from this side.
    }
    this.#isSilent = true
  }

  /** The SDK is done with an answer at once, and with a notification a little later: one before an answer would be lost. */
  async #deliver(message: JSONRPCMessage): Promise<void> {
    this.#receiver?.onmessage?.(message)
    if (!('id' in message)) await breathe()
  }

  #send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#owned.child
    return new Promise((resolve, reject) =>
      stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve())),
    )
  }

  /** Whatever is no message is the server's chatter. */
  #parse(text: string): JSONRPCMessage[] {
    if (text.trim() === '') return []
    try {
      return [deserializeMessage(text)]
    } catch (error) {
      this.#receiver?.onerror?.(error instanceof Error ? error : new Error(String(error)))
      return []
    }
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

function answerInstead(head: string, tail: string): JSONRPCMessage[] {
  const id = findAnsweredId(head, tail)
  return id === undefined ? [] : [tooLargeAnswer(id)]
}
