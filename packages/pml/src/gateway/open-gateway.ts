import { PmlError } from '@pml/core'
import { suggest } from '@pml/core/suggest'
import type { Added, Called, Fetched, Opened } from '../api/pml.ts'
import type { Approval } from '../api/approval.ts'
import type { CallLimits } from '../calls/call-parts.ts'
import { callTool, TOOL_NAME } from '../calls/call-tool.ts'
import type { Client } from '../calls/open-client.ts'
import { orAborted } from '../machine/limit.ts'
import type { ToolResult } from '../mcp/mcp-session.ts'
import type { Servers } from '../servers/servers.ts'
import { continueWorkflow } from '../calls/continue-workflow.ts'
import type { Gateway, GatewayCall, Waiting } from './gateway.ts'
import { listLocalTools, listLockedTools, routesOf, type Route } from './list-tools.ts'
import { findOwnTool, ownTools } from './own-tools.ts'

/** Agents have limits of their own; this one ends what nobody would wait for. */
const CALL_TIMEOUT_MS = 600_000
const MEMORY_MB = 512
const TELL_MS = 2000

type Outcome = Called | Fetched | Added | Opened | Approval

/** The servers of files and of the lockfile, and through `pml_search` and `pml_add` what else the registry has. */
export function openGateway(client: Client, servers: Servers): Gateway {
  const listeners = new Set<() => void>()
  let warned: ReadonlySet<string> = new Set()
  let known: Promise<ReadonlyMap<string, Route>> | undefined

  /** As clients know the list. */
  let told: string | undefined
  let begun = 0
  let newest = 0

  async function refresh(): Promise<void> {
    const turn = ++begun
    known = undefined
    const text = JSON.stringify([...(await routes()).values()])
    // One that began later may have been faster.
    if (turn < newest) return
    newest = turn
    if (text === told) return
    told = text
    listeners.forEach((listener) => listener())
  }
  const refreshOrTell = () => refresh().catch((error: Error) => client.tell(error.message))
  servers.onToolsChange(() => void refreshOrTell())

  async function read(): Promise<ReadonlyMap<string, Route>> {
    const all = [...(await listLocalTools(client, servers)), ...(await listLockedTools(client))]
    const { routes, clashes, unfit } = routesOf(all)
    const warnings = [
      ...clashes.map((name) => `${name} is left out: two servers have a tool that would be called so`),
      ...unfit.slice(0, 10).map((name) => `${JSON.stringify(name.slice(0, 100))} is left out: ${TOOL_NAME}`),
    ]
    for (const warning of warnings) if (!warned.has(warning)) client.tell(warning)
    warned = new Set(warnings)
    return routes
  }

  function routes(): Promise<ReadonlyMap<string, Route>> {
    known ??= read().catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }

  async function run({ name, args }: GatewayCall, limits: CallLimits): Promise<Outcome | ToolResult> {
    const own = findOwnTool(name)
    if (own) return telling(own(client, args, limits))
    const all = await routes()
    const route = all.get(name)
    if (!route) throw unknown(name, all.keys())
    return callTool(client, { tool: `${route.server}:${route.tool}`, args, ...limits })
  }

  /** What it changes is told before what came of it: whoever lists next sees it. A registry that hangs keeps nobody waiting. */
  async function telling<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work
    } finally {
      await orAborted(AbortSignal.timeout(TELL_MS), refreshOrTell()).catch(() => undefined)
    }
  }

  /** What a tool says of its own failure is a result; whoever asked reads it. */
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

  return {
    list: async () => {
      const all = [...(await routes()).values()]
      told ??= JSON.stringify(all)
      return [...ownTools, ...all.map(({ definition }) => definition)]
    },
    call: (request, waiting) => deliver(run(request, limitsOf(waiting))),
    answer: (answer, waiting) => {
      const given = { by: 'dialog', client: answer.dialog } as const
      return deliver(telling(continueWorkflow(client, { ...answer, given }, limitsOf(waiting))))
    },
    findDialogDoubt: () => client.person.findDialogDoubt(),
    find: (workflowId) => client.approvals.show(workflowId).catch(undefinedForPmlError),
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function undefinedForPmlError(error: unknown): undefined {
  if (!(error instanceof PmlError)) throw error
}

function limitsOf({ signal, onProgress }: Waiting): CallLimits {
  return { signal, timeoutMs: CALL_TIMEOUT_MS, memoryMb: MEMORY_MB, onProgress }
}

/** What a server answered as it came; everything else as JSON. */
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
