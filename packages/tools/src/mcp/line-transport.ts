import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { splitLines, type LineSplitter } from '@pml/core/split-lines'

interface LineStreams {
  readonly input: Readable
  readonly output: Writable
  /** The longest line; a longer one ends the connection. */
  readonly maxBodyBytes: number
}

/**
 * A transport with one message per line. Unlike the SDK's own transport it does not validate messages, because the server does.
 * The connection always ends by `close`.
 */
export class LineTransport implements Transport {
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>
  readonly #streams: LineStreams
  #finish = () => {}
  readonly #lines: LineSplitter
  #isClosed = false
  /** Shared by all writers that wait for a slow client. */
  #drained: Promise<unknown> | undefined

  constructor(streams: LineStreams) {
    this.#streams = streams
    const limitBytes = streams.maxBodyBytes
    const refuse = () => this.#fail(new Error(`expected lines of at most ${limitBytes} bytes`))
    this.#lines = splitLines({
      limitBytes,
      onLine: (line) => this.#receive(line.toString()),
      onLongLine: refuse,
      onGrowth: refuse,
    })
    this.closed = new Promise((resolve) => (this.#finish = resolve))
  }

  async start(): Promise<void> {
    const { input, output } = this.#streams
    if (input.readableEnded || input.destroyed) setImmediate(this.#leave)
    input.on('data', this.#take).on('error', this.#complain).on('end', this.#leave).on('close', this.#leave)
    output.on('error', this.#fail)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { output } = this.#streams
    if (this.#isClosed) throw new Error('The connection is closed')
    if (output.write(`${JSON.stringify(message)}\n`)) return
    this.#drained ??= new Promise((done) => output.once('drain', done)).then(
      () => (this.#drained = undefined),
    )
    await Promise.race([this.#drained, this.closed])
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const { input } = this.#streams
    input
      .off('data', this.#take)
      .off('error', this.#complain)
      .off('end', this.#leave)
      .off('close', this.#leave)
    input.pause()
    this.onclose?.()
    this.#finish()
  }

  #take = (bytes: Buffer): void => this.#lines.push(bytes)

  #receive(line: string): void {
    // An earlier line may have ended the connection.
    if (this.#isClosed) return
    const message = findMessage(line)
    if (message) this.onmessage?.(message)
    else if (line.trim() !== '') this.onerror?.(new Error('expected a message of JSON-RPC'))
  }

  #complain = (error: Error): void => this.onerror?.(error)

  #fail = (error: Error): void => {
    if (this.#isClosed) return
    this.onerror?.(error)
    this.#leave()
  }

  #leave = (): void => void this.close()
}

/** The server checks the content. */
function findMessage(line: string): JSONRPCMessage | undefined {
  try {
    const value = JSON.parse(line) as Partial<Record<string, unknown>> | null
    const { jsonrpc, method, id } = value ?? {}
    const isMessage = typeof method === 'string' || typeof id === 'string' || typeof id === 'number'
    return jsonrpc === '2.0' && isMessage ? (value as unknown as JSONRPCMessage) : undefined
  } catch {
    return undefined
  }
}
