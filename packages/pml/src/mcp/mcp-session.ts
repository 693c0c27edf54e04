import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/client'
import type { ToolDefinition } from '@pml/core/pins'
import { hiderOf, hideInErrors, throwHidden } from './hide-secrets.ts'
import { openHttpSession } from './http-session.ts'
import type { Kill } from '../machine/owned-process.ts'
import { openStdioSession } from './stdio-session.ts'

interface AnyTarget {
  /** Values that are removed from everything the server says except its results. */
  readonly secrets: readonly string[]
}

export interface StdioTarget extends AnyTarget {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
}

export interface HttpTarget extends AnyTarget {
  readonly kind: 'http'
  /** https, or plain http to this machine. */
  readonly url: URL
  /** Sent only to the origin of `url`. */
  readonly headers: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
}

export type Target = StdioTarget | HttpTarget

export interface SessionOptions {
  /** The name of the server in messages; by default its program or address. */
  readonly server?: string
  readonly client: { readonly name: string; readonly version: string }
  /** The time limit from starting the process to the end of the handshake. */
  readonly connectTimeoutMs: number
  /** Aborts connecting, and later ends the session. */
  readonly signal: AbortSignal
  readonly kill: Kill
  /** Called with each line of stderr. */
  onStderr(line: string): void
}

export interface Asking {
  readonly signal: AbortSignal
  /** The total time limit; progress does not extend it. */
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
  /** Any JSON: not every revision requires an object. */
  readonly structuredContent?: unknown
  readonly isError: boolean
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** A session with one server. All methods throw only PmlErrors. */
export interface McpSession {
  readonly instructions?: string
  readonly serverInfo: Implementation | undefined
  readonly protocolVersion: string | undefined
  /** Legacy revisions begin with `initialize`; modern ones are those since 2026-07-28. */
  readonly era: 'legacy' | 'modern'
  /** As the server declared them. */
  readonly capabilities: ServerCapabilities
  /** The original tools of all pages. */
  listTools(options: Asking): Promise<ToolDefinition[]>
  callTool(name: string, args: Record<string, unknown>, options: Calling): Promise<ToolResult>
  /** Pings the server, or lists the first page of tools in revisions without a ping. */
  check(options: Asking): Promise<void>
  /** Calls the listener when the server reports changed tools. Returns a function that stops listening. */
  onToolsChanged(listener: () => void): () => void
  /** Why it no longer responds, if it does not, with the last lines of its stderr. */
  exitReason(): string | undefined
  /** Ends the session; no process of the server is left. */
  close(): Promise<void>
  /** Resolves when the session is over, for any reason. */
  readonly closed: Promise<void>
}

/**
 * Opens a session that ends with the first of these signals. The listeners stay until then: a signal of `AbortSignal.any`
 * may be garbage-collected, and leaks listeners on long-lived signals.
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

/** Starts or connects to a server and does the handshake. A failure leaves nothing behind. */
export async function openSession(target: Target, options: SessionOptions): Promise<McpSession> {
  const hide = hiderOf(target.secrets)
  const hiding = { ...options, onStderr: (line: string) => options.onStderr(hide(line)) }
  const opening = target.kind === 'stdio' ? openStdioSession(target, hiding) : openHttpSession(target, hiding)
  return hideInErrors(await opening.catch(throwHidden(hide)), hide)
}
