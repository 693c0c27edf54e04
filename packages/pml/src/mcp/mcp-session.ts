import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/client'
import type { ToolDefinition } from '@pml/core/pins'
import { hiderOf, hideInErrors, throwHidden } from './hide-secrets.ts'
import { openHttpSession } from './http-session.ts'
import type { Kill } from '../machine/owned-process.ts'
import { openStdioSession } from './stdio-session.ts'

interface AnyTarget {
  /** What it is given that nobody else is to read: it stands in nothing that the server says besides its answers. */
  readonly secrets: readonly string[]
}

export interface StdioTarget extends AnyTarget {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
}

export interface HttpTarget extends AnyTarget {
  readonly kind: 'http'
  /** https, or plain http to this machine. */
  readonly url: URL
  /** Sent to the origin of `url` and to nobody else. */
  readonly headers: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
}

export type Target = StdioTarget | HttpTarget

export interface SessionOptions {
  /** What messages call the server; without it they name its program or address. */
  readonly server?: string
  readonly client: { readonly name: string; readonly version: string }
  /** From the start of the process to the end of the handshake. */
  readonly connectTimeoutMs: number
  /** Ends the connecting, and afterwards the session. */
  readonly signal: AbortSignal
  readonly kill: Kill
  /** Each line of stderr as it comes. */
  onStderr(line: string): void
}

export interface Asking {
  readonly signal: AbortSignal
  /** For all of it, progress or not. */
  readonly timeoutMs: number
}

export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export interface Calling extends Asking {
  readonly onProgress?: (progress: Progress) => void
}

export interface ToolResult {
  readonly content: readonly unknown[]
  /** Any JSON: not every revision wants an object. */
  readonly structuredContent?: unknown
  readonly isError: boolean
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** A conversation with one server. Every method throws nothing but PmlErrors. */
export interface McpSession {
  readonly instructions?: string
  readonly serverInfo: Implementation | undefined
  readonly protocolVersion: string | undefined
  /** Revisions before 2026-07-28, which begin with `initialize`, or those since. */
  readonly era: 'legacy' | 'modern'
  /** As the server declared them. */
  readonly capabilities: ServerCapabilities
  /** Of all pages, whole, as they came. */
  listTools(options: Asking): Promise<ToolDefinition[]>
  callTool(name: string, args: Record<string, unknown>, options: Calling): Promise<ToolResult>
  /** Asks for a sign of life: the protocol's own ping, or the first page of tools where there is none. */
  check(options: Asking): Promise<void>
  /** Calls the listener whenever the server says that its tools have changed; gives the way to stop listening. */
  onToolsChanged(listener: () => void): () => void
  /** Why it does not answer any more, if it does not, with its last words. */
  exitReason(): string | undefined
  /** Afterwards nothing of the server is alive. */
  close(): Promise<void>
  /** Settles when the session is over, whoever ended it. */
  readonly closed: Promise<void>
}

/**
 * Opens a session that ends with the first of these signals. The listeners are held until it is over: a signal of
 * `AbortSignal.any` may be garbage-collected, and stays attached to signals that live longer.
 */
export async function openSessionUntil(
  signals: readonly AbortSignal[],
  { target, ...options }: Omit<SessionOptions, 'signal'> & { readonly target: Target },
): Promise<McpSession> {
  const ending = new AbortController()
  const end = () => ending.abort()
  const release = () => {
    for (const signal of signals) signal.removeEventListener('abort', end)
  }
  for (const signal of signals) signal.addEventListener('abort', end, { once: true })
  if (signals.some(({ aborted }) => aborted)) end()
  try {
    const session = await openSession(target, { ...options, signal: ending.signal })
    void session.closed.then(release, release)
    return session
  } catch (error) {
    release()
    throw error
  }
}

/** Starts or reaches a server and greets it. Whatever fails leaves nothing behind. */
export async function openSession(target: Target, options: SessionOptions): Promise<McpSession> {
  const hide = hiderOf(target.secrets)
  const hiding = { ...options, onStderr: (line: string) => options.onStderr(hide(line)) }
  const opening = target.kind === 'stdio' ? openStdioSession(target, hiding) : openHttpSession(target, hiding)
  return hideInErrors(await opening.catch(throwHidden(hide)), hide)
}
