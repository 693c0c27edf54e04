import { PmlError } from '@pml/core'
import { suggest } from '@pml/core/suggest'
import type { Added, Called, Fetched, Opened } from '../api/pml.ts'
import type { Approval } from '../api/approval.ts'
import type { CallLimits } from '../calls/call-parts.ts'
import { callTool, TOOL_NAME } from '../calls/call-tool.ts'
import type { Client } from '../calls/open-client.ts'
import { orAborted } from '../machine/limit.ts'
import type { ToolDefinition } from '@pml/core/pins'
import type { ToolResult } from '../mcp/mcp-session.ts'
import type { Servers } from '../servers/servers.ts'
import { continueWorkflow } from '../calls/continue-workflow.ts'
import type { Gateway, GatewayCall, Waiting } from './gateway.ts'
import { listLocalTools, listLockedTools, routesOf, type Route } from './list-tools.ts'
import { findOwnTool, ownTools } from './own-tools.ts'

/** Agents have their own time limits; this one ends calls that nobody waits for. */
const CALL_TIMEOUT_MS = 600_000
const MEMORY_MB = 512
const TELL_MS = 2000

type Outcome = Called | Fetched | Added | Opened | Approval

/** Offers the tools of local and locked servers, and with `pml_search` and `pml_add` the rest of the registry. */
export function openGateway(client: Client, servers: Servers): Gateway {
  const table = new ToolTable(client, servers)

  async function run({ name, args }: GatewayCall, limits: CallLimits): Promise<Outcome | ToolResult> {
    const own = findOwnTool(name)
    if (own) return table.refreshedAfter(own(client, args, limits))
    const routes = await table.routes()
    const route = routes.get(name)
    if (!route) throw unknown(name, routes.keys())
    return callTool(client, { tool: `${route.server}:${route.tool}`, args, ...limits })
  }

  return {
    list: () => table.list(),
    call: (request, waiting) => deliver(run(request, limitsOf(waiting))),
    answer: (answer, waiting) => {
      const given = { by: 'dialog', client: answer.dialog } as const
      const work = continueWorkflow(client, { ...answer, given }, limitsOf(waiting))
      return deliver(table.refreshedAfter(work))
    },
    findDialogDoubt: () => client.person.findDialogDoubt(),
    find: (workflowId) => client.approvals.show(workflowId).catch(undefinedForPmlError),
    onChange: (listener) => table.onChange(listener),
  }
}

/** The tools of all servers, read when they are first needed and again after each change. */
class ToolTable {
  readonly #client: Client
  readonly #servers: Servers
  readonly #listeners = new Set<() => void>()
  #routes: Promise<ReadonlyMap<string, Route>> | undefined
  #warned: ReadonlySet<string> = new Set()
  /** The list as clients have it, as JSON. */
  #told: string | undefined
  #begun = 0
  #newest = 0

  constructor(client: Client, servers: Servers) {
    this.#client = client
    this.#servers = servers
    servers.onToolsChange(() => void this.#refresh())
  }

  async list(): Promise<readonly ToolDefinition[]> {
    const all = [...(await this.routes()).values()]
    this.#told ??= JSON.stringify(all)
    return [...ownTools, ...all.map(({ definition }) => definition)]
  }

  routes(): Promise<ReadonlyMap<string, Route>> {
    this.#routes ??= this.#read().catch((error: unknown) => {
      this.#routes = undefined
      throw error
    })
    return this.#routes
  }

  /** Notifies clients of changed tools before the result: they may list right after it. A slow registry delays it by `TELL_MS` at most. */
  async refreshedAfter<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work
    } finally {
      await orAborted(AbortSignal.timeout(TELL_MS), this.#refresh()).catch(() => undefined)
    }
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #refresh(): Promise<void> {
    return this.#readAgain().catch((error: Error) => this.#client.tell(error.message))
  }

  async #readAgain(): Promise<void> {
    const turn = ++this.#begun
    this.#routes = undefined
    const text = JSON.stringify([...(await this.routes()).values()])
    // A refresh that began later may have finished first.
    if (turn < this.#newest) return
    this.#newest = turn
    if (text === this.#told) return
    this.#told = text
    this.#listeners.forEach((listener) => listener())
  }

  async #read(): Promise<ReadonlyMap<string, Route>> {
    const all = [
      ...(await listLocalTools(this.#client, this.#servers)),
      ...(await listLockedTools(this.#client)),
    ]
    const { routes, clashes, unfit } = routesOf(all)
    const warnings = [
      ...clashes.map((name) => `${name} is left out: two servers have a tool of this name`),
      ...unfit.slice(0, 10).map((name) => `${JSON.stringify(name.slice(0, 100))} is left out: ${TOOL_NAME}`),
    ]
    for (const warning of warnings) if (!this.#warned.has(warning)) this.#client.tell(warning)
    this.#warned = new Set(warnings)
    return routes
  }
}

/** A tool's own report of its failure is a result that the agent reads; other errors are thrown. */
async function deliver(work: Promise<Outcome | ToolResult>): Promise<ToolResult | Approval> {
  try {
    const outcome = await work
    if ('isError' in outcome) return outcome
    return outcome.approvalRequired ? outcome : resultOf(outcome)
  } catch (error) {
    const content = error instanceof PmlError && error.code === 'tool_failed' && error.detail['content']
    if (Array.isArray(content)) return { content, isError: true }
    throw error
  }
}

function undefinedForPmlError(error: unknown): undefined {
  if (!(error instanceof PmlError)) throw error
}

function limitsOf({ signal, onProgress }: Waiting): CallLimits {
  return { signal, timeoutMs: CALL_TIMEOUT_MS, memoryMb: MEMORY_MB, onProgress }
}

/** The original result of a server; everything else as JSON. */
function resultOf(outcome: Exclude<Outcome, Approval>): ToolResult {
  if (!('result' in outcome)) {
    const { approvalRequired: _no, ...shown } =
      'bytes' in outcome ? { ...outcome, bytes: undefined } : outcome
    return jsonResult(shown)
  }
  const { content, result } = outcome
  if (!content) return jsonResult(result)
  return { content, ...(isObject(result) && { structuredContent: result }), isError: false }
}

function jsonResult(value: unknown): ToolResult {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return { content: [{ type: 'text', text }], isError: false }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unknown(name: string, known: Iterable<string>): PmlError {
  const near = suggest(name, known)
  const hint = near === undefined ? '' : `; did you mean '${near}'?`
  return new PmlError('unknown_tool', `There is no tool '${name.slice(0, 100)}'${hint}`)
}
