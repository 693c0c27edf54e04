import type { Approval } from './approvals/approval.ts'
import type { CallLimits } from './calling/call-parts.ts'
import { callTool, type Called } from './calling/call-tool.ts'
import { openClient, type Client, type ClientOptions } from './client.ts'
import { fetchEntry, type Fetched } from './fetching/fetch-entry.ts'
import { resolveReference } from './fetching/resolve-reference.ts'
import { processOps, type Ops } from './ops.ts'
import { continueWorkflow, type ContinueWorkflow } from './verbs/continue-workflow.ts'

export interface CallOptions {
  readonly timeoutMs?: number
  readonly memoryMb?: number
  readonly signal?: AbortSignal
}

export interface FetchOptions {
  /** The answer to an approval that an earlier fetch asked for. */
  readonly continueWorkflow?: ContinueWorkflow
}

/** A workspace and its registry: fetch what is verified, call what is allowed, answer what is asked. */
export interface Pml {
  readonly workspace: string
  /** A name, an FQDN, a tool `ns:action` or the word of a server. */
  fetch(reference: string, options?: FetchOptions): Promise<Fetched | Called | Approval>
  call(
    tool: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<Called | Approval>
  continueWorkflow(answer: ContinueWorkflow, options?: CallOptions): Promise<Fetched | Called | Approval>
  /** What still waits for an answer. */
  pending(): Promise<readonly Approval[]>
  /** Ends every server that was started. */
  close(): Promise<void>
}

export interface PmlOptions extends ClientOptions {
  readonly registry?: string
  readonly apiKey?: string
  /** Messages for a person; stderr without it. */
  readonly tell?: (message: string) => void
  /** Variables that servers and modules may get; those of this process without it. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export async function openPml({ registry, apiKey, tell, env, ...options }: PmlOptions = {}): Promise<Pml> {
  const own = processOps()
  const ops: Ops = {
    ...own,
    env: {
      ...(env ?? own.env),
      ...(registry !== undefined && { PML_REGISTRY_URL: registry }),
      ...(apiKey !== undefined && { PML_API_KEY: apiKey }),
    },
    tell: tell ?? own.tell,
  }
  return pmlOf(await openClient(ops, options))
}

function pmlOf(client: Client): Pml {
  const answer: Pml['continueWorkflow'] = (given, options) =>
    continueWorkflow(client, given, limitsOf(options))
  return {
    workspace: client.files.root,
    fetch: async (text, { continueWorkflow: given } = {}) => {
      if (given) return answer(given)
      const reference = await resolveReference(client, text)
      return fetchEntry(client, reference, { operation: { kind: 'fetch', reference: text } })
    },
    call: (tool, args = {}, options) =>
      callTool(client, { tool, args, isPermitted: false, ...limitsOf(options) }),
    continueWorkflow: answer,
    pending: () => client.approvals.list(),
    close: () => client.close(),
  }
}

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_MEMORY_MB = 512

export function limitsOf({ timeoutMs, memoryMb, signal }: CallOptions = {}): CallLimits {
  return {
    timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
    memoryMb: memoryMb ?? DEFAULT_MEMORY_MB,
    signal: signal ?? new AbortController().signal,
  }
}
