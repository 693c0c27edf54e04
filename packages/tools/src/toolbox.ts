import { PmlError } from '@pml/core'
import { suggest } from '@pml/core/suggest'
import { checkOutput, parseArguments } from './check-values.ts'
import type { JsonObject } from './json-schema.ts'
import type { ListedTool, Tool } from './ready-tool.ts'
import type { ToolRegistry } from './tool-registry.ts'

/** What a surface needs: the tools that a caller may use, and a way to call them. Throws only PmlErrors. */
export interface Toolbox<Caller> {
  list(caller: Caller): readonly ListedTool[] | Promise<readonly ListedTool[]>
  call(caller: Caller, call: ToolCall): Promise<JsonObject>
  /** The tool's current name, if this is a former one. */
  newNameOf?(name: string): string | undefined
}

/** A toolbox that can check whether a call is allowed before its arguments are read. */
export interface AdmittingToolbox<Caller> extends Toolbox<Caller> {
  /** Throws if the tool does not exist or the caller may not use it. */
  admit(caller: Caller, name: string): void
}

interface ToolCall {
  readonly name: string
  /** Unvalidated; the toolbox checks it. */
  readonly args: unknown
  readonly leaving: Leaving
}

/** Calls the listener when the caller has left, immediately if it already has; returns an unsubscribe function. */
export type Leaving = (listener: () => void) => () => void

export function leavingWith(signal: AbortSignal): Leaving {
  return (listener) => {
    if (signal.aborted) listener()
    else signal.addEventListener('abort', listener, { once: true })
    return () => signal.removeEventListener('abort', listener)
  }
}

/** The decisions of the program around the tools. */
interface ToolHost<Context, Caller> {
  /** Returns why this caller may not use a tool of this scope; undefined if it may. Applies to lists and calls. */
  findRefusal(caller: Caller, scope: string): PmlError | undefined
  /** Called for every such refusal; may throw another PmlError. */
  onRefusal(caller: Caller, refusal: PmlError): void
  /** Creates the tool's context. Throws a PmlError if the call is not allowed now. */
  begin(caller: Caller, tool: Pick<Tool<Context>, 'name' | 'effect'>, limit: Limit): Context
  /** Reports an internal failure of a tool to the operator. */
  explain(caller: Caller, fault: unknown): PmlError
}

/** The time limit of a tool. The signal is created on first use, because most tools finish before. */
export interface Limit {
  readonly signal: AbortSignal
}

/** Calls a tool by name; every surface uses this. */
export function createToolbox<Context, Caller>(
  tools: ToolRegistry<Context>,
  host: ToolHost<Context, Caller>,
): AdmittingToolbox<Caller> {
  const mayUse = (caller: Caller, scope: string | undefined) =>
    scope === undefined || host.findRefusal(caller, scope) === undefined

  const admit = (caller: Caller, name: string): Tool<Context> => {
    const tool = tools.find(name)
    if (!tool) throw unknownTool(name, tools.names())
    const refusal = tool.scope === undefined ? undefined : host.findRefusal(caller, tool.scope)
    if (!refusal) return tool
    host.onRefusal(caller, refusal)
    throw refusal
  }

  return {
    admit: (caller, name) => void admit(caller, name),
    newNameOf: (name) => {
      const tool = tools.find(name)
      return tool?.name === name ? undefined : tool?.name
    },
    list: (caller) => tools.list().filter(({ scope }) => mayUse(caller, scope)),
    call: async (caller, { name, args, leaving }) => {
      const tool = admit(caller, name)
      const input = parseArguments(tool, args)
      try {
        const output = await withinLimits(tool, leaving, (limit) =>
          tool.run(host.begin(caller, tool, limit), input),
        )
        return checkOutput(tool, output)
      } catch (error) {
        throw error instanceof PmlError ? error : host.explain(caller, error)
      }
    },
  }
}

/** Aborts and abandons a tool that hangs or whose caller has left. */
async function withinLimits<Context>(
  { name, timeoutMs }: Tool<Context>,
  leaving: Leaving,
  run: (limit: Limit) => unknown,
): Promise<unknown> {
  const limit = new LazyLimit()
  let timer: NodeJS.Timeout | undefined
  let stay = () => {}
  // Most tools finish within one turn of the event loop, so timers and listeners start only after it.
  const soon = setImmediate(() => {
    timer = setTimeout(() => limit.end(tooLong(name, timeoutMs)), timeoutMs)
    stay = leaving(() =>
      limit.end(new PmlError('cancelled', `Cannot finish ${name}: the client disconnected`)),
    )
  })
  try {
    return await new Promise((finish, fail) => {
      limit.onEnd(fail)
      Promise.resolve(run(limit)).then(finish, fail)
    })
  } finally {
    clearImmediate(soon)
    clearTimeout(timer)
    stay()
  }
}

class LazyLimit implements Limit {
  #controller: AbortController | undefined
  #tell: ((reason: PmlError) => void) | undefined
  reason: PmlError | undefined

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.reason) this.#controller.abort(this.reason)
    return this.#controller.signal
  }

  onEnd(tell: (reason: PmlError) => void): void {
    this.#tell = tell
  }

  end(reason: PmlError): void {
    this.reason = reason
    this.#controller?.abort(reason)
    this.#tell?.(reason)
  }
}

/** The notice for a caller who uses a former name. */
export function printRename(formerName: string, name: string): string {
  return `'${formerName}' is now called '${name}'; the old name goes with the next release`
}

export function unknownTool(name: string, known: Iterable<string>): PmlError {
  const near = suggest(name, known)
  const hint = near === undefined ? '' : `; did you mean '${near}'?`
  return new PmlError('unknown_tool', `There is no tool '${name.slice(0, 100)}'${hint}`)
}

function tooLong(name: string, timeoutMs: number): PmlError {
  return new PmlError('tool_timeout', `Cannot finish ${name}: it took longer than ${timeoutMs / 1000} s`)
}
