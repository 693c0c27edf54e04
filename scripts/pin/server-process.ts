import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import {
  ReadBuffer,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import { descendantsOf } from './process-tree.ts'

export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
}

/** Sends a signal to a process, or with a negative number to its whole group. Throws when there is none. */
export type Kill = (pid: number, signal: NodeJS.Signals | 0) => boolean

/** Nothing outlives SIGKILL for long, except zombies that an init process has yet to bury. */
const BURIAL_MS = 500
const LAST_WORDS = 2000
/** What a server said before its end arrives after it; a child that holds the pipes open must not delay the news. */
const DRAIN_MS = 200

/**
 * A server on stdio in a process group of its own. The SDK's transport inherits variables and ends only the process that it
 * started; here the environment is exactly what was given, and `close` leaves nothing alive.
 */
export class ServerProcess implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  readonly #server: ServerCommand
  readonly #kill: Kill
  readonly #received = new ReadBuffer()
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined
  #said = ''
  #closing: Promise<void> | undefined
  #told = false

  constructor(server: ServerCommand, kill: Kill) {
    this.#server = server
    this.#kill = kill
  }

  /** The end of what the server wrote to stderr. */
  get lastWords(): string {
    return this.#said.trim()
  }

  async start(): Promise<void> {
    const { command, args, cwd, env } = this.#server
    const child = spawn(command, args, {
      cwd,
      env: { ...env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#child = child
    child.stdout.on('data', (bytes: Buffer) => this.#receive(bytes))
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (this.#said = (this.#said + text).slice(-LAST_WORDS)))
    child.stdin.on('error', (error) => this.onerror?.(error))
    child.once('close', () => this.#tellClosed())
    child.once('exit', () => setTimeout(() => this.#tellClosed(), DRAIN_MS).unref())
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#child?.stdin.write(serializeMessage(message))
  }

  /** Every caller waits for the same end. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  /** Frozen first, so that nothing is started between looking for what runs and ending it. */
  async #end(): Promise<void> {
    const child = this.#child
    if (child?.pid === undefined) return
    this.#signal(-child.pid, 'SIGSTOP')
    const targets = [-child.pid, ...(await descendantsOf(child.pid))]
    for (const target of targets) this.#signal(target, 'SIGKILL')
    await this.#waitUntilGone(targets)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    this.#tellClosed()
  }

  #tellClosed(): void {
    if (this.#told) return
    this.#told = true
    this.onclose?.()
  }

  #receive(bytes: Buffer): void {
    this.#received.append(bytes)
    for (;;) {
      try {
        const message = this.#received.readMessage()
        if (message === null) return
        this.onmessage?.(message)
      } catch (error) {
        this.onerror?.(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }

  async #waitUntilGone(targets: readonly number[]): Promise<void> {
    const deadline = performance.now() + BURIAL_MS
    while (targets.some((target) => this.#signal(target, 0)) && performance.now() < deadline) await delay(10)
  }

  /** False when there is no such process, or none of the group is left. */
  #signal(target: number, signal: NodeJS.Signals | 0): boolean {
    try {
      return this.#kill(target, signal)
    } catch {
      return false
    }
  }
}
