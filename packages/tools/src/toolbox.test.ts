import { PmlError } from '@pml/core'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { defineTool } from './tool.ts'
import { createToolbox, leavingWith, type Leaving, type Limit, type Toolbox } from './toolbox.ts'
import { ToolRegistry } from './tool-registry.ts'

interface Context {
  readonly caller: string
  readonly limit: Limit
}

const staying: Leaving = () => () => {}
const input = z.object({ text: z.string().max(5), times: z.int().default(1) })
const output = z.object({ text: z.string() })
const shared = { description: 'Does something.', input, output, effect: 'read' as const }

let tools: ToolRegistry<Context>
let toolbox: Toolbox<string>
let faults: unknown[]
let refused: unknown[]

beforeEach(() => {
  faults = []
  refused = []
  tools = new ToolRegistry()
  toolbox = createToolbox<Context, string>(tools, {
    findRefusal: (caller, scope) =>
      caller === scope
        ? undefined
        : new PmlError('forbidden', `Cannot: ${caller} is not ${scope}`, { scope }),
    onRefusal: (caller, { code }) => void refused.push([caller, code]),
    begin: (caller, { effect }, limit) => {
      if (effect === 'destructive') throw new PmlError('rate_limited', 'Cannot do that so often')
      return { caller, limit }
    },
    explain: (caller, fault) => {
      faults.push([caller, fault])
      return new PmlError('internal_error', 'Cannot say')
    },
  })
})

const echo = () =>
  defineTool({
    ...shared,
    name: 'text_repeat',
    run: ({ caller }: Context, { text, times }) => ({
      text: `${caller}: ${text.repeat(times)}`,
      extra: true,
    }),
  })

const call = (name: string, args: unknown, leaving = staying) => toolbox.call('ann', { name, args, leaving })

describe('a call', () => {
  it('gets validated arguments with defaults, and returns what the schema promises', async () => {
    tools.register(echo())
    expect(await call('text_repeat', { text: 'ha', times: 3 })).toEqual({ text: 'ann: hahaha' })
    expect(await call('text_repeat', { text: 'ha' })).toEqual({ text: 'ann: ha' })
  })

  it('names every wrong parameter, what was expected and what came', async () => {
    tools.register(echo())
    const args = { text: 'much too long', times: 'x', no: 1 }
    await expect(call('text_repeat', args)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message:
        'Cannot call text_repeat: text: Too big: expected string to have <=5 characters, got "much too long"; ' +
        'times: expected number, received string; no: there is no such parameter',
      detail: {
        issues: [
          { path: ['text'] },
          { path: ['times'] },
          { path: ['no'], message: 'there is no such parameter' },
        ],
      },
    })
  })

  it('shows at most twenty problems, and no long text', async () => {
    tools.register(echo())
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`p${index}`, 'x'.repeat(1000)]),
    )
    const error = (await call('text_repeat', many).catch((error: unknown) => error)) as PmlError
    expect(error.detail['issues']).toHaveLength(20)
    expect(JSON.stringify(error).length).toBeLessThan(5000)
  })

  it.each([
    null,
    undefined,
    7,
    'text',
    [],
    [{ text: 'a' }],
    JSON.parse('{"text":"a","__proto__":{"times":9}}'),
  ])('is refused with %j', async (args) => {
    tools.register(echo())
    await expect(call('text_repeat', args)).rejects.toMatchObject({ code: 'invalid_arguments' })
  })

  it('of an unknown or a disabled tool is refused with the same message', async () => {
    tools.register(echo())
    tools.disable('text_repeat')
    await expect(call('text_repeat', { text: 'a' })).rejects.toMatchObject({
      code: 'unknown_tool',
      message: "There is no tool 'text_repeat'",
    })
    tools.enable('text_repeat')
    await expect(call('text_repaet', {})).rejects.toThrow("did you mean 'text_repeat'?")
  })

  it('is refused for a missing scope before its arguments are checked, consistent with the list', async () => {
    tools.register(defineTool({ ...echo(), name: 'text_secret', scope: 'bob' }))
    await expect(call('text_secret', {})).rejects.toMatchObject({
      code: 'forbidden',
      detail: { scope: 'bob' },
    })
    expect(refused).toEqual([['ann', 'forbidden']])
    expect(await toolbox.list('ann')).toEqual([])
    expect((await toolbox.list('bob')).map(({ name }) => name)).toEqual(['text_secret'])
  })

  it('may be refused by the host when it begins', async () => {
    const run = vi.fn<() => { text: string }>()
    tools.register(defineTool({ ...shared, name: 'text_wipe', effect: 'destructive', run }))
    await expect(call('text_wipe', { text: 'a' })).rejects.toMatchObject({ code: 'rate_limited' })
    expect(run).not.toHaveBeenCalled()
  })

  it('returns a frozen output again unchanged, and validates it for another schema', async () => {
    const kept = Object.freeze({ text: 'same', more: 1 })
    tools.register(defineTool({ ...shared, name: 'text_keep', run: () => kept }))
    tools.register(
      defineTool({ ...shared, name: 'text_more', output: z.object({ more: z.number() }), run: () => kept }),
    )
    const first = await call('text_keep', { text: 'a' })
    expect(first).toEqual({ text: 'same' })
    expect(await call('text_keep', { text: 'a' })).toBe(first)
    expect(await call('text_more', { text: 'a' })).toEqual({ more: 1 })
    expect(await call('text_keep', { text: 'a' })).toEqual(first)
  })

  it('reports an internal failure of the tool only to the host', async () => {
    tools.register(
      defineTool({ ...shared, name: 'text_fail', run: () => Promise.reject(new Error('hunter2')) }),
    )
    tools.register(defineTool({ ...shared, name: 'text_lie', run: () => ({ text: 7 as unknown as string }) }))
    await expect(call('text_fail', { text: 'a' })).rejects.toMatchObject({
      code: 'internal_error',
      message: 'Cannot say',
    })
    await expect(call('text_lie', { text: 'a' })).rejects.toMatchObject({ code: 'internal_error' })
    expect(faults).toMatchObject([
      ['ann', { message: 'hunter2' }],
      [
        'ann',
        { message: expect.stringContaining('The output of text_lie is not what its schema says: text:') },
      ],
    ])
  })
})

describe('a tool that takes too long', () => {
  it('is aborted when its time is over', async () => {
    let signal: AbortSignal | undefined
    const run = ({ limit }: Context) => {
      ;({ signal } = limit)
      return new Promise<{ text: string }>(() => {})
    }
    tools.register(defineTool({ ...shared, name: 'text_hang', timeoutMs: 5, run }))
    await expect(call('text_hang', { text: 'a' })).rejects.toMatchObject({ code: 'tool_timeout' })
    expect(signal?.reason).toMatchObject({ code: 'tool_timeout' })
  })

  it('is aborted when the caller leaves', async () => {
    const leave = new AbortController()
    let limit: Limit | undefined
    const run = (context: Context) => {
      limit = context.limit
      return new Promise<{ text: string }>(() => {})
    }
    tools.register(defineTool({ ...shared, name: 'text_hang', run }))
    const called = call('text_hang', { text: 'a' }, leavingWith(leave.signal))
    leave.abort()
    await expect(called).rejects.toMatchObject({ code: 'cancelled' })
    expect(limit?.signal.aborted).toBe(true)
  })

  it('is aborted for a caller who has already left', async () => {
    let limit: Limit | undefined
    const run = (context: Context) => {
      limit = context.limit
      return new Promise<{ text: string }>(() => {})
    }
    tools.register(defineTool({ ...shared, name: 'text_hang', run }))
    const called = call('text_hang', { text: 'a' }, leavingWith(AbortSignal.abort()))
    await expect(called).rejects.toMatchObject({ code: 'cancelled' })
    expect(limit?.signal.aborted).toBe(true)
  })
})
