import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { agreeTo } from '../../../test/agree-to.ts'
import { openCatalog, type Catalog } from '../../../test/catalog.ts'
import { kinds, stopAt, type Kind } from '../../../test/questions.ts'
import { roughServer } from '../../../test/rough-folder.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import type { Approval, Pml } from '../../index.ts'

const NODE = process.execPath

let registry: TestRegistry
let catalog: Catalog
let workspace: TestWorkspace
let pml: Pml

beforeAll(async () => {
  registry = await startRegistry()
  catalog = await openCatalog(registry)
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  pml = await workspace.open()
})
afterEach(() => workspace.remove())

const stop = (kind: Kind) => stopAt(kind, { catalog, workspace, pml })
const config = () => join(workspace.root, '.pml.json')
const answer = (approval: unknown, more: object = { approved: true }) =>
  pml.continueWorkflow({ workflowId: (approval as Approval).workflowId, approved: true, ...more })

describe('always', () => {
  it('adds exactly the tool to allow, keeps the layout, and is not asked about again', async () => {
    await catalog.code('acme.tools.once.more', 'export default () => 1\n')
    await catalog.code('acme.tools.once.else', 'export default () => 2\n')
    const text = (allow: string) =>
      `{\n    "version": 1,\n    "permissions": {"ask": ["*"],\n        "allow": ${allow} },\n    "grants": {}\n}\n`
    await writeFile(config(), text('["json:*"]'))
    await agreeTo(workspace.root, workspace.env)
    await answer(await pml.call('once:more'), { always: true })
    const after = await readFile(config(), 'utf8')
    expect(JSON.parse(after)).toEqual(JSON.parse(text('["json:*", "once:more"]')))
    expect(after.replace(/"allow": \[[^\]]*\]/, '')).toBe(text('[]').replace('"allow": []', ''))
    expect(await pml.call('once:more')).toMatchObject({ result: 1 })
    expect(await pml.call('once:else')).toMatchObject({ approvalType: 'tool_permission' })
  })

  it('begins a .pml.json where there is none, in which everything else is still asked about', async () => {
    await catalog.code('acme.tools.fresh.one', 'export default () => 1\n')
    await answer(await pml.call('fresh:one'), { always: true })
    expect(JSON.parse(await readFile(config(), 'utf8'))).toMatchObject({
      permissions: { allow: ['fresh:one'], deny: [], ask: ['*'] },
    })
  })

  it('takes no trust from other entries when it writes the first rule', async () => {
    for (const tool of ['a', 'b']) {
      await catalog.code(`acme.tools.first.${tool}`, `export default () => "${tool}"\n`)
      await pml.fetch(`acme.tools.first.${tool}`)
    }
    await writeFile(config(), '{"version": 1}\n')
    await answer(await pml.call('first:a'), { always: true })
    await pml.fetch('acme.tools.first.a')
    expect(await workspace.readLock()).toContain('acme.tools.first.b')
    await catalog.code('acme.tools.first.b', 'export default () => "evil"\n')
    expect(await pml.fetch('acme.tools.first.b')).toMatchObject({ approvalType: 'integrity' })
  })

  it('adds one tool of a server, not the server', async () => {
    await catalog.command('many', [NODE, roughServer, 'good'], { tools: ['a', 'b'] })
    await answer(await answer(await pml.call('many:a'), { always: true }))
    expect(JSON.parse(await readFile(config(), 'utf8'))).toMatchObject({ permissions: { allow: ['many:a'] } })
    expect(await pml.call('many:a')).toMatchObject({ approvalRequired: false })
    expect(await pml.call('many:b')).toMatchObject({ approvalType: 'tool_permission' })
  })

  it.each(kinds.filter((kind) => kind !== 'tool_permission'))(
    'means nothing for %s, which stays open, and writes nothing',
    async (kind) => {
      const { approval } = await stop(kind)
      const before = await readFile(config(), 'utf8')
      await expect(answer(approval, { always: true })).rejects.toMatchObject({ code: 'invalid_arguments' })
      const { exit } = await workspace.run(['continue', approval.workflowId, '--approve', '--always'])
      expect(exit).toBe(2)
      expect(await readFile(config(), 'utf8')).toBe(before)
      expect(await pml.pending()).toEqual([approval])
    },
  )

  it('does not go with a no', async () => {
    const { approval } = await stop('tool_permission')
    await expect(answer(approval, { approved: false, always: true })).rejects.toMatchObject({
      code: 'invalid_arguments',
    })
    expect(await pml.pending()).toEqual([approval])
  })
})

describe('a yes', () => {
  it('to a call is for that call alone', async () => {
    const { approval, tool } = await stop('tool_permission')
    expect(await answer(approval)).toMatchObject({ approvalRequired: false })
    expect(await pml.call(tool, { secret: '' })).toMatchObject({ approvalType: 'tool_permission' })
  })

  it('to a call does not survive a deny that was written meanwhile', async () => {
    const { approval, tool } = await stop('tool_permission')
    await workspace.writeConfig({ permissions: { allow: [], ask: ['*'], deny: [tool] } })
    await expect(answer(approval)).rejects.toMatchObject({ code: 'tool_denied', exitCode: 5 })
  })

  it('to a call is for the entry that was shown, not for another that offers the tool by then', async () => {
    await catalog.code('acme.tools.moving.say', 'export default () => "shown"\n')
    const approval = await pml.call('moving:say')
    expect(approval).toMatchObject({ fqdn: 'acme.tools.moving.say' })
    const key = await registry.key('admin')
    await registry.fetch('/mcp/acme.tools.moving.say', { method: 'DELETE', headers: key })
    await catalog.code('other.tools.moving.say', 'export default () => "another"\n')
    expect(await answer(approval)).toMatchObject({
      approvalRequired: true,
      approvalType: 'tool_permission',
      fqdn: 'other.tools.moving.say',
    })
  })

  it('to changed content permits no call', async () => {
    await catalog.code('acme.tools.both.say', 'export default () => 1\n')
    await pml.fetch('acme.tools.both.say')
    await catalog.code('acme.tools.both.say', 'export default () => 2\n')
    const asked = await pml.fetch('acme.tools.both.say')
    expect(asked).toMatchObject({ approvalType: 'integrity' })
    await answer(asked)
    expect(await pml.call('both:say')).toMatchObject({ approvalType: 'tool_permission' })
  })

  it('to a call accepts no changed content', async () => {
    await catalog.code('acme.tools.order.say', 'export default () => 1\n')
    await pml.fetch('acme.tools.order.say')
    await catalog.code('acme.tools.order.say', 'export default () => 2\n')
    const lock = await workspace.readLock()
    const second = await answer(await pml.call('order:say'))
    expect(second).toMatchObject({ approvalType: 'integrity' })
    expect(await workspace.readLock()).toBe(lock)
    expect(await answer(second)).toMatchObject({ approvalRequired: false, result: 2 })
  })

  it('to a command is for that command to the letter, in this workspace', async () => {
    await workspace.writeConfig({ permissions: { allow: ['*'] } })
    await catalog.command('letter', [NODE, roughServer, 'good'])
    await catalog.command('other', [NODE, roughServer, 'good'])
    await answer(await pml.call('letter:echo'))
    expect(await pml.call('letter:echo')).toMatchObject({ approvalRequired: false })
    expect(await pml.call('other:echo')).toMatchObject({ approvalType: 'dependency' })
    await catalog.command('letter', [NODE, roughServer, 'good', '--verbose'])
    const changed = await pml.call('letter:echo')
    expect(changed).toMatchObject({ approvalType: 'integrity', diff: expect.stringContaining('--verbose') })
    const command = await answer(changed)
    expect(command).toMatchObject({
      approvalType: 'dependency',
      commandLine: expect.stringMatching(/ good --verbose$/),
    })
    expect(await answer(command)).toMatchObject({ approvalRequired: false })
  })

  it('to a missing key without the key is the same question again', async () => {
    const { approval } = await stop('api_key_required')
    expect(await answer(approval)).toMatchObject({
      approvalType: 'api_key_required',
      missing: ['QUESTION_KEY'],
    })
  })
})
