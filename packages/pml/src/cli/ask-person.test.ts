import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../apps/server/test/registry.ts'
import { openCatalog, type Catalog } from '../../test/catalog.ts'
import { hasTerminal, runOnTerminal } from '../../test/terminal.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'

let registry: TestRegistry
let catalog: Catalog
let workspace: TestWorkspace
let name: string
let tool: string
let count = 0

beforeAll(async () => {
  registry = await startRegistry()
  catalog = await openCatalog(registry)
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  const id = `asked${count++}`
  name = `acme.tools.${id}.say`
  tool = `${id}:say`
  await catalog.code(name, 'export default () => "one"\n')
})
afterEach(() => workspace.remove())

const run = (argv: readonly string[], ...keys: string[]) => runOnTerminal(workspace, argv, keys)

async function change(): Promise<string | undefined> {
  await workspace.run(['fetch', name])
  await catalog.code(name, 'export default () => "two"\n')
  return workspace.readLock()
}

describe.skipIf(!hasTerminal)('on a terminal', () => {
  it('a yes to a shown change with both digests and the diff applies it', async () => {
    await change()
    const { exit, text } = await run(['fetch', name], 'y\r')
    expect(text).toMatch(/locked {3}sha256-[0-9a-f]{64}\ncurrent {2}sha256-[0-9a-f]{64}\n/)
    expect(text).toContain('-export default () => "one"\n+export default () => "two"\n')
    expect(text).toContain('Approve? [y]es, [N]o: ')
    expect(exit).toBe(0)
    expect((await workspace.run(['fetch', name])).exit).toBe(0)
  })

  it.each([
    ['nothing', '\r'],
    ['n', 'n\r'],
    ['a word that is no yes', 'yep\r'],
    ['a, which is for tools only', 'a\r'],
    ['Ctrl-D', '\u{4}'],
  ])('%s counts as no: exit 4, and the lock is unchanged', async (_what, keys) => {
    const lock = await change()
    const { exit, text } = await run(['fetch', name], keys)
    expect(text).toContain('a person rejected the change')
    expect(exit).toBe(4)
    expect(await workspace.readLock()).toBe(lock)
  })

  it('Ctrl-C ends the command, and the prompt stays open', async () => {
    const lock = await change()
    const { exit } = await run(['fetch', name], '\u{3}')
    expect(exit).toBe(130)
    expect(await workspace.readLock()).toBe(lock)
    const pml = await workspace.open()
    expect(await pml.pending()).toHaveLength(1)
  })

  it('y allows a call once, a allows it from then on', async () => {
    const once = await run(['run', tool], 'y\r')
    expect(once).toMatchObject({ exit: 0, text: expect.stringContaining('[y]es once, [a]lways, [N]o: ') })
    expect(once.text.trimEnd().endsWith('one')).toBe(true)
    const always = await run(['run', tool], 'a\r')
    expect(always.exit).toBe(0)
    const config = JSON.parse(await readFile(join(workspace.root, '.pml.json'), 'utf8')) as object
    expect(config).toMatchObject({ permissions: { allow: [tool] } })
    const unasked = await run(['run', tool])
    expect(unasked).toMatchObject({ exit: 0, text: 'one\n' })
  })

  it('prompts are asked one after the other', async () => {
    await change()
    const { exit, text } = await run(['run', tool], 'y\r', 'y\r')
    expect(text.indexOf('[a]lways')).toBeLessThan(text.indexOf('Hash changed for'))
    expect(exit).toBe(0)
    expect(text.trimEnd().endsWith('two')).toBe(true)
  })

  it('every update has its own prompt', async () => {
    const other = name.replace('.say', '.tell')
    await catalog.code(other, 'export default () => "first"\n')
    await workspace.run(['fetch', other])
    await change()
    await catalog.code(other, 'export default () => "second"\n')
    const { exit, text } = await run(['update'], 'y\r', 'y\r')
    expect(text).toContain(`Hash changed for ${name}.`)
    expect(text).toContain(`Hash changed for ${other}.`)
    expect(exit).toBe(0)
    expect(await workspace.run(['outdated', '--json'])).toMatchObject({
      stdout: expect.not.stringContaining(name),
    })
  })

  it('arguments cannot imitate other text', async () => {
    const input = JSON.stringify({ a: 'x\u{1b}[2J\u{202e}\u{200b}\u{e0041}' })
    const { text } = await run(['run', tool, '--input', input], 'n\r')
    expect(text).not.toContain('\u{1b}[2J')
    for (const hidden of ['\u{202e}', '\u{200b}', '\u{e0041}']) expect(text).not.toContain(hidden)
    expect(text).toMatch(/200b/)
  })

  it('--json never asks', async () => {
    const { exit, text } = await run(['run', tool, '--json'])
    expect(exit).toBe(3)
    expect(JSON.parse(text)).toMatchObject({ approvalType: 'tool_permission', tool })
  })
})

describe('without a terminal', () => {
  it('prints the prompt and how to answer it on stdout, and exits with 3', async () => {
    await change()
    const { exit, stdout, stderr } = await workspace.run(['fetch', name], { stdin: 'y\n' })
    expect(exit).toBe(3)
    expect(stdout).toContain('+export default () => "two"')
    expect(stdout).toMatch(/Answer before .*: pml continue [0-9a-f-]{36} --approve \(or --reject\)/)
    expect(stderr).toBe('')
  })
})
