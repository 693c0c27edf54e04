import { PmlError } from '@pml/core'
import { createToolbox, defineTool, ToolRegistry, type Toolbox } from '@pml/tools'
import { z } from 'zod'

/** A caller in these tests. */
export interface MemoCaller {
  readonly scopes: readonly string[]
}

export interface MemoTools {
  readonly toolbox: Toolbox<MemoCaller>
  readonly registry: ToolRegistry<AbortSignal>
  /** The signals of `memo_wait` calls, in order of arrival. */
  readonly waits: AsyncQueue<AbortSignal>
  readonly faults: unknown[]
}

const text = z.object({ text: z.string() })
const nothing = z.object({})

/** Real tools in a real toolbox, one for each way a call can end. */
export function createMemoTools(): MemoTools {
  const registry = new ToolRegistry<AbortSignal>()
  const waits = new AsyncQueue<AbortSignal>()
  const faults: unknown[] = []
  for (const tool of memoTools(waits)) registry.register(tool)
  const toolbox = createToolbox<AbortSignal, MemoCaller>(registry, {
    findRefusal: ({ scopes }, scope) =>
      scopes.includes(scope) ? undefined : new PmlError('forbidden', `Cannot do this without ${scope}`),
    onRefusal: () => {},
    begin: (_caller, _tool, { signal }) => signal,
    explain: (_caller, fault) => {
      faults.push(fault)
      return new PmlError('internal_error', 'Cannot finish because of a fault here')
    },
  })
  return { toolbox, registry, waits, faults }
}

function memoTools(waits: AsyncQueue<AbortSignal>) {
  const forever = (signal: AbortSignal) => {
    waits.push(signal)
    return new Promise<never>(() => {})
  }
  return [
    defineTool<AbortSignal, typeof text, typeof text>({
      name: 'memo_echo',
      description: 'Gives back the text.',
      input: text,
      output: text,
      effect: 'read',
      run: (_signal, args) => args,
    }),
    defineTool<AbortSignal, typeof nothing, typeof text>({
      name: 'memo_wipe',
      description: 'Wipes all memos.',
      input: nothing,
      output: text,
      effect: 'destructive',
      scope: 'admin',
      run: () => ({ text: 'wiped' }),
    }),
    defineTool<AbortSignal, typeof nothing, typeof text>({
      name: 'memo_lose',
      description: 'Finds no memo.',
      input: nothing,
      output: text,
      effect: 'read',
      run: () => {
        throw new PmlError('not_found', 'There is no such memo', { memo: 7 })
      },
    }),
    defineTool<AbortSignal, typeof nothing, typeof text>({
      name: 'memo_break',
      description: 'Has a fault.',
      input: nothing,
      output: text,
      effect: 'read',
      run: () => {
        throw new TypeError('the secret password is 1234')
      },
    }),
    defineTool<AbortSignal, typeof nothing, typeof text>({
      name: 'memo_wait',
      description: 'Waits for whatever ends it.',
      input: nothing,
      output: text,
      effect: 'read',
      run: forever,
    }),
    defineTool<AbortSignal, typeof nothing, typeof text>({
      name: 'memo_hang',
      description: 'Never returns.',
      input: nothing,
      output: text,
      effect: 'read',
      timeoutMs: 20,
      run: forever,
    }),
  ]
}

/** A queue whose reader waits for the next item, so that no test polls. */
export class AsyncQueue<Item> {
  readonly #items: Item[] = []
  readonly #waiting: ((item: Item) => void)[] = []

  push(item: Item): void {
    const waiting = this.#waiting.shift()
    if (waiting) waiting(item)
    else this.#items.push(item)
  }

  next(): Promise<Item> {
    const item = this.#items.shift()
    return item === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(item)
  }
}
