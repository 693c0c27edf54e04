import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { openCatalog, type Catalog } from '../../../test/catalog.ts'
import { findDenos, waitForDenos } from '../../../test/deno-processes.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import type { Called, CallOptions, Pml } from '../../index.ts'

let registry: TestRegistry
let catalog: Catalog
let workspace: TestWorkspace
let pml: Pml
let count = 0

beforeAll(async () => {
  registry = await startRegistry()
  catalog = await openCatalog(registry)
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  await workspace.writeConfig({ permissions: { allow: ['*'] } })
  pml = await workspace.open()
})
afterEach(async () => {
  // One that was killed may be in the list until the system has taken it out.
  await expect.poll(() => findDenos(workspace)).toEqual([])
  await workspace.remove()
})

async function publish(code: string): Promise<string> {
  const id = `module${count++}`
  await catalog.code(`acme.tools.${id}.run`, code)
  return `${id}:run`
}

async function call(code: string, args: Record<string, unknown> = {}, options: CallOptions = {}) {
  return (await pml.call(await publish(code), args, options)) as Called
}

const echo = 'export default (args: unknown) => args\n'

describe('a module', () => {
  it.each([
    ['objects in objects', { a: { b: [1, { c: null }] }, d: false }],
    ['texts with everything in them', { text: 'é 😀 \u{2028} " \\ \n \r \u{0} \u{7f} </script>' }],
    ['half characters', { half: '\u{d800}' }],
    ['numbers', { n: [0, -1, 1e300, 0.1] }],
    ['names that objects have anyway', { constructor: 1, toString: 'x' }],
    ['nothing', {}],
  ])('gets and gives %s', async (_what, args) => {
    const { result, approvalRequired } = await call(echo, args)
    expect({ approvalRequired, result }).toEqual({ approvalRequired: false, result: args })
  })

  it('gets and gives five megabytes', async () => {
    const text = '0123456789 é'.repeat(400_000)
    expect((await call(echo, { text })).result).toEqual({ text })
  })

  it.each([
    ['a text', '"plain"', 'plain'],
    ['null', 'null', null],
    ['nothing', 'undefined', null],
    ['a promise', 'Promise.resolve([1])', [1]],
    ['a date', 'new Date(0)', '1970-01-01T00:00:00.000Z'],
  ])('gives %s as JSON', async (_what, value, result) => {
    expect((await call(`export default () => ${value}\n`)).result).toEqual(result)
  })

  it('prints wherever it likes without touching its result', async () => {
    const code = `
      console.log('{"result":"forged"}'); console.info('i'); console.table([1]); console.error('to stderr')
      export default async () => {
        Deno.stdout.writeSync(new TextEncoder().encode('\\n{"result":"forged"}\\n'))
        await Deno.stdout.write(new TextEncoder().encode('half a line'))
        console.log('more')
        return 'true'
      }\n`
    expect((await call(code)).result).toBe('true')
    const told = workspace.told.join('\n')
    for (const text of ['to stderr', 'more']) expect(told).toContain(text)
    const { stdout, stderr, exit } = await workspace.run(['run', await publish(code), '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ result: 'true' })
    expect(stderr).toContain('to stderr')
    expect(exit).toBe(0)
  })

  it('that writes to stderr in pieces is passed on line by line, without tricks for the terminal', async () => {
    const code = `export default async () => {
      const write = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(text))
      write('first ')
      await new Promise((done) => setTimeout(done, 50))
      write('half\\nsecond \\u001b[2J\\u001b]0;title\\u0007\\n')
    }\n`
    await call(code)
    expect(workspace.told[0]).toBe('first half')
    expect(workspace.told[1]).toMatch(/^second \\u/)
    expect(workspace.told.join()).not.toContain('\u{1b}')
  })

  it.each([
    ['throws an error', 'throw new TypeError("no such thing")', 'no such thing'],
    ['throws a text', 'throw "just a word"', 'just a word'],
    ['throws later', 'return Promise.reject(new Error("later"))', 'later'],
    ['gives a BigInt', 'return 1n', 'its result is no JSON'],
    ['gives a circle', 'const a: any = {}; a.a = a; return a', 'its result is no JSON'],
    ['gives a function', 'return () => 1', 'it returned no result'],
    ['ends the process', 'Deno.exit(3)', 'Deno exited with 3'],
    ['has no end of errors', 'throw { toString() { throw 1 } }', 'Deno exited with 1'],
  ])('that %s has failed, with exit 1', async (_what, body, message) => {
    const tool = await publish(`export default () => { ${body} }\n`)
    await expect(pml.call(tool)).rejects.toMatchObject({
      name: 'PmlError',
      code: 'tool_failed',
      exitCode: 1,
      message: expect.stringMatching(new RegExp(`^Cannot finish ${tool}: .*${message}`, 's')),
    })
  })

  it('without a function as its default has failed, and so has one that cannot be loaded', async () => {
    await expect(call('export const a = 1\n')).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('no function as its default export'),
    })
    await expect(call('throw new Error("early")\n')).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('it cannot be loaded: early'),
    })
  })

  it.each([
    ['computes', 'for (;;);'],
    ['waits', 'return new Promise(() => setInterval(() => {}, 1000))'],
  ])('that %s for ever is ended at its time limit', async (_what, body) => {
    const tool = await publish(`export default () => { ${body} }\n`)
    await expect(pml.call(tool, {}, { timeoutMs: 1500 })).rejects.toMatchObject({
      code: 'tool_timeout',
      message: `Cannot finish ${tool}: it took longer than 1.5 s`,
    })
    const { exit, stdout } = await workspace.run(['run', tool, '--timeout-ms', '1500', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ error: 'tool_timeout' })
    expect(exit).toBe(1)
  })

  it('that never finishes loading is ended too', async () => {
    const tool = await publish('for (;;);\nexport default () => 1\n')
    await expect(pml.call(tool, {}, { timeoutMs: 1000 })).rejects.toMatchObject({ code: 'tool_timeout' })
  })

  it.each([
    ['objects', 'const all = []; for (;;) all.push({ a: [all.length] })'],
    ['bytes', 'const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1))'],
  ])('is limited in memory, as %s', async (_what, body) => {
    const tool = await publish(`export default () => { ${body} }\n`)
    await expect(pml.call(tool, {}, { memoryMb: 128 })).rejects.toMatchObject({
      code: 'tool_failed',
      message: `Cannot finish ${tool}: it needs more than 128 MB of memory`,
    })
  })

  it('is interrupted by the signal of its caller', async () => {
    const tool = await publish('export default () => { for (;;); }\n')
    const stop = new AbortController()
    const calling = pml.call(tool, {}, { signal: stop.signal })
    const [running] = await waitForDenos(workspace)
    expect(running).toBeGreaterThan(0)
    stop.abort()
    await expect(calling).rejects.toMatchObject({ code: 'cancelled' })
    await expect(pml.call(tool, {}, { signal: stop.signal })).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('stores nothing on disk but compiled code', async () => {
    await call(echo, { secret: 'hunter2-on-disk' })
    expect(await readFile(join(workspace.root, '.pml', 'mcp.lock'), 'utf8')).not.toContain('hunter2')
  })
})

describe('the command that runs a module', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends it by %s', async (signal) => {
    const tool = await publish('export default () => { for (;;); }\n')
    await pml.fetch(tool)
    const running = workspace.start(['run', tool])
    await waitForDenos(workspace)
    running.kill(signal)
    expect(await running.outcome).toMatchObject({ exit: 130 })
  })
})
