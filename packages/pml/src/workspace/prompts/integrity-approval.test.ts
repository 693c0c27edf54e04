import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hexOf, integrityOf } from '@pml/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { openCatalog, type Catalog } from '../../../test/catalog.ts'
import { startRelay, type Relay } from '../../../test/relay.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import type { IntegrityApprovalRequired, Pml } from '../../index.ts'

let registry: TestRegistry
let catalog: Catalog
let relay: Relay
let workspace: TestWorkspace
let pml: Pml
let name: string
let count = 0

beforeAll(async () => {
  registry = await startRegistry()
  catalog = await openCatalog(registry)
})
afterAll(() => registry.stop())
beforeEach(async () => {
  relay = await startRelay(registry.url)
  workspace = await makeWorkspace(relay.url)
  pml = await workspace.open()
  name = `acme.tools.changing${count++}.say`
})
afterEach(async () => {
  await workspace.remove()
  await relay.stop()
})

const codeOf = (word: string) => `export default () => "${word}"\n`
const integrityOfWord = (word: string) => integrityOf(Buffer.from(codeOf(word)))
const publish = (word: string) => catalog.code(name, codeOf(word))

/** Locks one release, publishes another, and fetches into the question. */
async function stop(before = 'one', after = 'two') {
  await publish(before)
  await pml.fetch(name)
  const lock = await workspace.readLock()
  await publish(after)
  const approval = (await pml.fetch(name)) as IntegrityApprovalRequired
  expect(approval).toMatchObject({ approvalType: 'integrity' })
  return { approval, lock }
}

const answer = ({ workflowId }: IntegrityApprovalRequired, approved = true) =>
  pml.continueWorkflow({ workflowId, approved })

describe('a change of what is locked', () => {
  it('is the object that criterion 14 asks for, with both digests and the difference', async () => {
    const { approval, lock } = await stop()
    const [oldHash, newHash] = ['one', 'two'].map((word) => hexOf(integrityOfWord(word)).slice(0, 4))
    const { entries } = JSON.parse(lock ?? '') as { entries: Record<string, { fetchedAt: string }> }
    const { workflowId, expiresAt, change, diff, ...rest } = approval
    expect(rest).toEqual({
      approvalRequired: true,
      approvalType: 'integrity',
      fqdn: name,
      oldHash,
      newHash,
      oldFetchedAt: Object.values(entries)[0]?.fetchedAt,
      description: `Hash changed for ${name}. Old: ${oldHash}, New: ${newHash}. This could indicate a legitimate update or potential MITM attack.`,
      oldIntegrity: integrityOfWord('one'),
      newIntegrity: integrityOfWord('two'),
      type: 'deno',
      routing: 'client',
    })
    expect({ workflowId, expiresAt, change }).toEqual({
      workflowId: expect.any(String),
      expiresAt: expect.any(String),
      change: expect.objectContaining({ code: expect.objectContaining({ added: 1, removed: 1 }) }),
    })
    expect(diff).toContain('-export default () => "one"\n+export default () => "two"\n')
  })

  it('on the command line without a terminal is the same object on stdout, with exit 3', async () => {
    await publish('one')
    await workspace.run(['fetch', name])
    await publish('two')
    const { exit, stdout } = await workspace.run(['fetch', name, '--json'])
    const { workflowId, ...shown } = JSON.parse(stdout) as IntegrityApprovalRequired
    expect(exit).toBe(3)
    expect(shown).toMatchObject({ approvalRequired: true, approvalType: 'integrity', fqdn: name })
    const yes = await workspace.run(['continue', workflowId, '--approve', '--json'])
    expect(yes.exit).toBe(0)
    expect(JSON.parse(yes.stdout)).toMatchObject({ lock: 'updated', content: codeOf('two') })
    expect(await workspace.readLock()).toContain(integrityOfWord('two'))
  })

  it('that is rejected is an IntegrityError with exit 4, and the lock is as it was', async () => {
    const { approval, lock } = await stop()
    await expect(answer(approval, false)).rejects.toMatchObject({
      name: 'IntegrityError',
      code: 'rejected',
      exitCode: 4,
      message: expect.stringMatching(/sha256-.*sha256-.*the lockfile is unchanged/),
    })
    expect(await workspace.readLock()).toBe(lock)
    const again = await workspace.run(['update', name, '--json'])
    const { workflowId } = JSON.parse(again.stdout) as IntegrityApprovalRequired
    const no = await workspace.run(['continue', workflowId, '--reject'])
    expect(no).toMatchObject({ exit: 4, stdout: '' })
    expect(await workspace.readLock()).toBe(lock)
  })

  it('needs a new approval when the registry has changed again, and the old yes has no effect', async () => {
    const { approval, lock } = await stop()
    await publish('three')
    const next = (await answer(approval)) as IntegrityApprovalRequired
    expect(next).toMatchObject({
      approvalRequired: true,
      oldIntegrity: integrityOfWord('one'),
      newIntegrity: integrityOfWord('three'),
      diff: expect.stringContaining('three'),
    })
    expect(next.workflowId).not.toBe(approval.workflowId)
    expect(await workspace.readLock()).toBe(lock)
    expect(await answer(next)).toMatchObject({ lock: 'updated', integrity: integrityOfWord('three') })
  })

  it('that the registry took back needs no yes any more', async () => {
    const { approval, lock } = await stop()
    await publish('one')
    expect(await answer(approval)).toMatchObject({ lock: 'same', integrity: integrityOfWord('one') })
    expect(await workspace.readLock()).toBe(lock)
  })

  it('does not replace what another process has locked', async () => {
    const { approval } = await stop()
    await publish('three')
    const other = await workspace.open()
    await answer((await other.fetch(name)) as IntegrityApprovalRequired)
    const lock = await workspace.readLock()
    await publish('two')
    expect(await answer(approval)).toMatchObject({
      approvalRequired: true,
      oldIntegrity: integrityOfWord('three'),
      newIntegrity: integrityOfWord('two'),
    })
    expect(await workspace.readLock()).toBe(lock)
  })

  it('is not made when the entry was taken out of the lock meanwhile: it is new then', async () => {
    const { approval } = await stop()
    await writeFile(join(workspace.root, '.pml', 'mcp.lock'), '{\n  "version": 1,\n  "entries": {}\n}\n')
    expect(await answer(approval)).toMatchObject({ lock: 'added' })
  })

  it.each([
    ['cannot be reached', async () => relay.stop(), {}],
    ['is not asked', async () => {}, { offline: true }],
  ])('is made from the cache when the registry %s', async (_what, leave, options) => {
    const { approval } = await stop()
    await leave()
    pml = await workspace.open(options)
    const fetched = await answer(approval)
    expect(fetched).toMatchObject({ lock: 'updated', integrity: integrityOfWord('two') })
    expect(await workspace.readLock()).toContain(integrityOfWord('two'))
  })

  it('whose cached content was damaged while the registry is gone is not made', async () => {
    const { approval, lock } = await stop()
    const hex = hexOf(integrityOfWord('two'))
    const { stdout } = await workspace.run(['cache', 'dir'])
    const file = join(stdout.trim(), 'content', hex.slice(0, 2), hex)
    await readFile(file)
    await writeFile(file, codeOf('six'))
    await relay.stop()
    await expect(answer(approval)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`Cannot use the approved ${integrityOfWord('two')}`),
    })
    expect(await workspace.readLock()).toBe(lock)
  })

  it('in frozen mode is an error, and nothing is asked or written', async () => {
    const { lock } = await stop()
    const frozen = await workspace.open({ frozen: true })
    const waiting = await frozen.pending()
    await expect(frozen.fetch(name)).rejects.toMatchObject({ code: 'lock_frozen', exitCode: 4 })
    expect(await frozen.pending()).toEqual(waiting)
    expect(await workspace.readLock()).toBe(lock)
  })

  it('found by calling is taken up with the same arguments', async () => {
    await workspace.writeConfig({ permissions: { allow: ['*'] } })
    await catalog.code(name, 'export default ({ a }: { a: number }) => a\n')
    await pml.fetch(name)
    const fqdn = await catalog.code(name, 'export default ({ a }: { a: number }) => a * 2\n')
    const approval = (await pml.call(fqdn, { a: 21 })) as IntegrityApprovalRequired
    expect(approval.approvalType).toBe('integrity')
    await relay.stop()
    expect(await answer(approval)).toMatchObject({ result: 42, fqdn })
  })
})
