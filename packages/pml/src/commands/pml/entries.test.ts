import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { openPublisher, saying, type Publisher } from '../../../test/publisher.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import { callOwn } from '../../cli/call-own.ts'
import { openClient } from '../../calls/open-client.ts'
import { processOps } from '../../machine/ops.ts'

const SHOUT = 'acme.tools.text.shout'
const WHISPER = 'acme.tools.text.whisper'

let registry: TestRegistry
let publisher: Publisher
let workspace: TestWorkspace
let [shout, whisper] = ['', '']
let round = 0

beforeAll(async () => {
  registry = await startRegistry()
  publisher = await openPublisher(registry)
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  round++
  shout = await publisher.publish(SHOUT, saying(`loud ${round}`))
  whisper = await publisher.publish(WHISPER, saying(`soft ${round}`))
})
afterEach(() => workspace.remove())

const readConfig = () => readFile(join(workspace.root, '.pml.json'), 'utf8')
const allowed = async () =>
  (JSON.parse(await readConfig()) as { permissions: { allow: string[] } }).permissions.allow
const locked = async () =>
  Object.keys((JSON.parse((await workspace.readLock()) ?? '{}') as { entries: object }).entries)

async function json<Output>(argv: string[], exit = 0): Promise<Output> {
  const outcome = await workspace.run([...argv, '--json'])
  expect({ argv, ...outcome }).toMatchObject({ argv, exit, stderr: '' })
  return JSON.parse(outcome.stdout) as Output
}

describe('pml add and remove', () => {
  it('write a rule and a lock entry, and remove both', async () => {
    expect(await json(['add', SHOUT, 'text:whisper'])).toEqual({
      approvalRequired: false,
      added: [
        { fqdn: shout, type: 'deno', rule: 'text:shout' },
        { fqdn: whisper, type: 'deno', rule: 'text:whisper' },
      ],
    })
    expect([await allowed(), await locked()]).toEqual([
      ['text:shout', 'text:whisper'],
      [shout, whisper],
    ])
    expect(await json(['remove', 'text:shout'])).toEqual({ removed: [shout] })
    expect([await allowed(), await locked()]).toEqual([['text:whisper'], [whisper]])
    expect((await workspace.run(['remove', WHISPER])).stdout).toContain(whisper)
    expect([await allowed(), await locked()]).toEqual([[], []])
  })

  it('print text for a person', async () => {
    const { exit, stdout, stderr } = await workspace.run(['add', SHOUT])
    expect([exit, stderr]).toEqual([0, ''])
    expect(stdout).toContain(shout)
    expect((await workspace.run(['list'])).stdout).toMatch(new RegExp(`${shout} .*allow`))
  })

  it('keep everything else in .pml.json', async () => {
    await workspace.writeConfig({ _why: 'mine', permissions: { deny: ['shell:*'], ask: ['*'] } })
    await json(['add', SHOUT])
    await json(['remove', SHOUT])
    expect(JSON.parse(await readConfig())).toEqual({
      _why: 'mine',
      permissions: { deny: ['shell:*'], ask: ['*'], allow: [] },
    })
  })

  it('change nothing if there is nothing to add or to remove', async () => {
    await workspace.writeConfig({ permissions: { deny: ['text:whisper'], ask: ['*'] } })
    const before = await readConfig()
    expect(await json(['add', 'acme.tools.text.none'], 1)).toMatchObject({ error: 'not_found' })
    expect(await json(['add', 'text:whisper'], 5)).toMatchObject({ error: 'tool_denied' })
    expect(await json(['remove', SHOUT], 1)).toMatchObject({ error: 'not_found' })
    expect(JSON.parse(await readConfig())).toEqual({
      permissions: { ...(JSON.parse(before) as { permissions: object }).permissions, allow: [] },
    })
    expect(await workspace.readLock()).toBeUndefined()
  })

  it('keep locked entries that no rule covered before the first rule', async () => {
    await workspace.writeConfig({ permissions: { deny: ['shell:*'] } })
    await json(['fetch', SHOUT])
    await json(['add', WHISPER])
    expect(await json(['list'])).toMatchObject({
      entries: [
        { fqdn: shout, rule: 'ask' },
        { fqdn: whisper, rule: 'allow' },
      ],
    })
    await json(['remove', WHISPER])
    await json(['add', 'acme.tools.text.none'], 1)
    await json(['list'])
    expect(await locked()).toEqual([shout])
  })

  it('allow nothing if the registry cannot be reached', async () => {
    const env = { PML_REGISTRY_URL: 'http://127.0.0.1:9' }
    expect((await workspace.run(['add', SHOUT], { env })).exit).toBe(6)
    expect(await allowed()).toEqual([])
    expect(await workspace.readLock()).toBeUndefined()
  })

  it('write nothing if the lockfile is frozen', async () => {
    expect((await workspace.run(['add', SHOUT, '--frozen'])).exit).toBe(4)
    expect((await workspace.run(['add', SHOUT], { env: { CI: 'true' } })).exit).toBe(4)
    expect(await readdir(workspace.root)).toEqual([])
    await json(['add', SHOUT])
    const before = [await readConfig(), await workspace.readLock()]
    expect((await workspace.run(['remove', SHOUT, '--frozen'])).exit).toBe(4)
    expect([await readConfig(), await workspace.readLock()]).toEqual(before)
  })

  // Fifty processes at once, on any number of cores.
  it('lose nothing if fifty entries are added concurrently', async () => {
    const names = Array.from({ length: 50 }, (_, number) => `acme.many.tool.n${number}`)
    const fqdns = await Promise.all(names.map((name) => publisher.publish(name, saying(name))))
    const outcomes = await Promise.all(names.map((name) => workspace.run(['add', name])))
    expect(outcomes.map(({ exit, stderr }) => ({ exit, stderr }))).toEqual(
      names.map(() => ({ exit: 0, stderr: '' })),
    )
    expect((await locked()).sort()).toEqual(fqdns.sort())
    expect((await allowed()).sort()).toEqual(names.map((name) => `tool:${name.split('.').at(-1)}`).sort())
  }, 180_000)
})

describe('pml outdated and update', () => {
  beforeEach(() => json(['add', SHOUT, WHISPER]))

  it('find newer releases', async () => {
    expect(await json(['outdated'])).toEqual({ outdated: [] })
    const newer = await publisher.publish(SHOUT, saying(`louder ${round}`))
    expect(await json(['outdated'])).toEqual({ outdated: [{ locked: shout, current: newer }] })
    expect((await workspace.run(['outdated'])).stdout).toContain(newer)
  })

  it('ask about each change, and change nothing before the answer', async () => {
    const newer = [
      await publisher.publish(SHOUT, saying(`louder ${round}`)),
      await publisher.publish(WHISPER, saying(`softer ${round}`)),
    ]
    const before = await workspace.readLock()
    const { approvals } = await json<{ approvals: { fqdn: string; workflowId: string }[] }>(['update'], 3)
    expect(approvals.map(({ fqdn }) => fqdn).sort()).toEqual([SHOUT, WHISPER])
    expect(await workspace.readLock()).toBe(before)
    const [first, second] = approvals
    expect(await json(['continue', first?.workflowId ?? '', '--reject'], 4)).toMatchObject({
      error: 'rejected',
    })
    expect(await workspace.readLock()).toBe(before)
    await json(['continue', second?.workflowId ?? '', '--approve'])
    const after = await locked()
    expect(after.filter((fqdn) => newer.includes(fqdn))).toHaveLength(1)
    expect(after).toHaveLength(2)
  })

  it('ask only about the named entries, and show a person what to type', async () => {
    await publisher.publish(SHOUT, saying(`louder ${round}`))
    await publisher.publish(WHISPER, saying(`softer ${round}`))
    const { exit, stdout } = await workspace.run(['update', 'text:whisper'])
    expect(exit).toBe(3)
    expect(stdout).toContain(`+export default () => "softer ${round}"`)
    expect(stdout).toMatch(/pml continue [0-9a-f-]{36} --approve/)
    expect(stdout).not.toContain('louder')
  })

  it('report retired names', async () => {
    const name = `acme.tools.text.gone${round}`
    const fqdn = await publisher.publish(name, saying('bye'))
    await json(['add', name])
    await publisher.retire(name)
    expect(await json(['outdated'])).toEqual({ outdated: [{ locked: fqdn, current: null }] })
    expect(await json(['update'])).toEqual({ approvalRequired: false, approvals: [], retired: [fqdn] })
  })
})

describe('pml sync', () => {
  const content = () => readdir(join(workspace.cacheDir, 'content'), { recursive: true })

  it('restores exactly what is locked, even if the registry has newer releases', async () => {
    await json(['add', SHOUT, WHISPER])
    const [lock, cached] = [await workspace.readLock(), (await content()).sort()]
    await publisher.publish(SHOUT, saying(`louder ${round}`))
    await rm(workspace.cacheDir, { recursive: true })
    expect(await json(['sync', '--frozen'])).toEqual({ fetched: 2, cached: 0, added: [] })
    expect([await workspace.readLock(), (await content()).sort()]).toEqual([lock, cached])
    expect(await json(['sync'])).toEqual({ fetched: 0, cached: 2, added: [] })
  })

  it.each([
    ['an exact tool', ['text:shout'], () => [shout]],
    ['a namespace', ['text:*'], () => [shout, whisper]],
    ['a beginning', ['text:whi*'], () => [whisper]],
  ])('fetches what an allow rule names by %s', async (_, allow, expected) => {
    await workspace.writeConfig({ permissions: { allow } })
    const { added } = await json<{ added: string[] }>(['sync'])
    expect(added.filter((fqdn) => !fqdn.includes('.gone'))).toEqual(expected())
    expect(await locked()).toEqual(added)
  })

  it('fetches nothing that is denied', async () => {
    await workspace.writeConfig({ permissions: { allow: ['text:*'], deny: ['text:shout'] } })
    const { added } = await json<{ added: string[] }>(['sync'])
    expect(added).toContain(whisper)
    expect(added).not.toContain(shout)
  })

  it('refuses to add anything if the lockfile is frozen', async () => {
    await workspace.writeConfig({ permissions: { allow: ['text:shout'] } })
    expect(await json(['sync', '--frozen'], 4)).toMatchObject({
      error: 'lock_frozen',
      message: expect.stringContaining(SHOUT),
    })
    expect(await workspace.readLock()).toBeUndefined()
  })

  it.each([
    ['each step for a person at a terminal', true],
    ['nothing for anybody else', false],
  ])('draws %s', async (_, mayAsk) => {
    await json(['add', SHOUT, WHISPER])
    const ops = { ...processOps(), env: workspace.env, cacheHome: workspace.cacheDir }
    const client = await openClient(ops, { workspace: workspace.root })
    const output = new PassThrough({ encoding: 'utf8' })
    const context = {
      ops,
      signal: new AbortController().signal,
      workspace: undefined,
      client: async () => client,
      lockfile: async () => client,
    }
    const asking = { mayAsk, input: new PassThrough(), output, interrupt: () => undefined }
    const synced = await callOwn(context, { place: 'pml/sync', args: {} }, asking).finally(client.close)
    expect(synced).toEqual({ fetched: 0, cached: 2, added: [] })
    const drawn = (output.read() as string | null) ?? ''
    expect(drawn.match(/\d\/\d/g)).toEqual(mayAsk ? ['1/2', '2/2'] : null)
    expect((await workspace.run(['sync'])).stderr).toBe('')
  })
})
