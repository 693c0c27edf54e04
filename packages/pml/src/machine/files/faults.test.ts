import { chmod, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { printLockfile } from '@pml/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { generation } from '../../../test/lock-entries.ts'
import type { Outcome } from '../../../test/pml-process.ts'
import { openPublisher, saying } from '../../../test/publisher.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'

const NAME = 'acme.tools.text.shout'

let registry: TestRegistry
let workspace: TestWorkspace
let victim: string

beforeAll(async () => {
  registry = await startRegistry()
  await (await openPublisher(registry)).publish(NAME, saying('one'))
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  victim = join(workspace.root, '..', 'victim')
})
afterEach(async () => {
  await chmod(workspace.root, 0o755)
  await chmod(state(), 0o755).catch(() => undefined)
  await workspace.remove()
})

const state = (...parts: string[]) => join(workspace.root, '.pml', ...parts)

function expectRefusal(outcome: Outcome, path: string, reason: string): void {
  expect(outcome).toMatchObject({ exit: 1, stdout: '' })
  expect(outcome.stderr).toMatch(/^error: Cannot (?:use|read|write) /)
  expect(outcome.stderr).toContain(`${path}: ${reason}`)
  expect(outcome.stderr).toContain('; ')
  expect(outcome.stderr).not.toContain('internal')
}

describe('where nothing more can be written', () => {
  it('a full disk leaves the lockfile as it was, and nothing beside it', async () => {
    await mkdir(state())
    const before = printLockfile(generation(1))
    await writeFile(state('mcp.lock'), before)
    const outcome = await workspace.run(['fetch', NAME], { longestFileKb: 8 })
    expectRefusal(outcome, state('mcp.lock'), 'this process may not write a file of this size')
    expect(await workspace.readLock()).toBe(before)
    expect((await readdir(state())).filter((name) => name !== 'client-id')).toEqual(['mcp.lock'])
    expect((await workspace.run(['fetch', NAME])).exit).toBe(0)
  })

  it('a disk without any space says which file could not be written', async () => {
    const outcome = await workspace.run(['fetch', NAME], { longestFileKb: 0 })
    expect(outcome).toMatchObject({ exit: 1, stdout: '' })
    expect(outcome.stderr).toMatch(/^error: Cannot write .*: this process may not write/)
    expect(outcome.stderr).toContain(workspace.cacheDir)
    expect(await workspace.readLock()).toBeUndefined()
    expect(await readdir(workspace.cacheDir, { recursive: true })).not.toContainEqual(
      expect.stringContaining('.tmp'),
    )
  })

  it.each([
    ['the workspace', ['fetch', NAME], () => workspace.root, () => state()],
    ['the folder of the lockfile', ['fetch', NAME], () => state(), () => state('mcp.lock')],
    ['the workspace, for its rules', ['init'], () => workspace.root, () => state()],
  ])('%s is read-only', async (_, argv, folder, told) => {
    if (folder() !== workspace.root) await mkdir(state())
    await chmod(folder(), 0o555)
    const outcome = await workspace.runAsUser(argv)
    expectRefusal(outcome, told(), 'permission denied; change its owner or mode')
    expect(await workspace.readLock()).toBeUndefined()
  })

  it.each([
    [
      'cannot be written',
      () => mkdir(workspace.cacheDir, { mode: 0o555 }),
      'permission denied; change its owner or mode',
    ],
    [
      'is a file',
      () => writeFile(workspace.cacheDir, 'mine'),
      'a part of its path is a file, expected a folder; move that file away',
    ],
  ])('a cache that %s is named, and nothing is locked', async (_, make, reason) => {
    await make()
    const outcome = await workspace.runAsUser(['fetch', NAME])
    expectRefusal(outcome, join(workspace.cacheDir, 'content'), reason)
    expect(await workspace.readLock()).toBeUndefined()
  })
})

describe('an obstacle', () => {
  it('a file where .pml should be is left alone', async () => {
    await writeFile(state(), 'mine')
    for (const argv of [['fetch', NAME], ['list'], ['init']])
      expectRefusal(
        await workspace.run(argv),
        state(),
        'a part of its path is a file, expected a folder; move',
      )
    expect(await readFile(state(), 'utf8')).toBe('mine')
  })

  it('a folder where .pml.json should be is left alone', async () => {
    const config = join(workspace.root, '.pml.json')
    await mkdir(config)
    for (const argv of [['fetch', NAME], ['add', NAME], ['init']])
      expectRefusal(await workspace.run(argv), config, 'it is a folder, expected a file; move')
    expect(await readdir(config)).toEqual([])
  })

  it('a folder where the lockfile should be is left alone', async () => {
    await mkdir(state('mcp.lock'), { recursive: true })
    for (const argv of [['fetch', NAME], ['list']])
      expectRefusal(await workspace.run(argv), state('mcp.lock'), 'it is a folder, expected a file; move')
    expect(await readdir(state('mcp.lock'))).toEqual([])
  })
})

describe('a symbolic link', () => {
  const reason = 'it is a symbolic link, which could lead out of the workspace; replace it'

  it.each([
    ['to a folder', true],
    ['to nothing', false],
  ])('in the place of .pml %s is not followed', async (_, exists) => {
    if (exists) await mkdir(victim)
    if (exists) await writeFile(join(victim, 'mcp.lock'), printLockfile(generation(1)))
    await symlink(victim, state())
    for (const argv of [['fetch', NAME], ['list'], ['init'], ['add', NAME], ['lock', 'clean']])
      expectRefusal(await workspace.run(argv), state(), reason)
    expect(await readdir(victim).catch(() => 'nothing')).toEqual(exists ? ['mcp.lock'] : 'nothing')
  })

  it.each(['mcp.lock', 'client-id'])('in the place of .pml/%s is not followed', async (name) => {
    await mkdir(state())
    await writeFile(victim, 'mine')
    await symlink(victim, state(name))
    const argv = name === 'mcp.lock' ? ['fetch', NAME] : ['init']
    expectRefusal(await workspace.run(argv), state(name), reason)
    expect(await readFile(victim, 'utf8')).toBe('mine')
  })

  it.each(['.pml.json', '.gitignore'])('in the place of %s is not followed', async (name) => {
    await writeFile(victim, '{}')
    await symlink(victim, join(workspace.root, name))
    expectRefusal(await workspace.run(['init']), join(workspace.root, name), reason)
    expect(await readFile(victim, 'utf8')).toBe('{}')
  })

  it('in the place of .pml/approvals takes no question and gives no answer', async () => {
    await workspace.writeConfig({ permissions: { ask: ['*'] } })
    await mkdir(victim)
    await mkdir(state())
    await symlink(victim, state('approvals'))
    expectRefusal(await workspace.run(['run', 'text:shout']), state('approvals'), reason)
    expect(await readdir(victim)).toEqual([])
    await rm(state('approvals'))
    const asked = await workspace.run(['run', 'text:shout', '--json'])
    expect(asked.exit).toBe(3)
    const { workflowId } = JSON.parse(asked.stdout) as { workflowId: string }
    const [question = ''] = await readdir(state('approvals'))
    await writeFile(join(victim, question), await readFile(state('approvals', question)))
    await rm(state('approvals'), { recursive: true })
    await symlink(victim, state('approvals'))
    const answer = await workspace.run(['continue', workflowId, '--approve'])
    expectRefusal(answer, state('approvals'), reason)
    expect(await readdir(victim)).toEqual([question])
  })

  it('in the place of the lock that is held does not lead away either', async () => {
    await mkdir(state())
    await writeFile(victim, 'mine')
    const long = Date.now() / 1000 - 3600
    await symlink(victim, state('mcp.lock.held'))
    await utimes(victim, long, long)
    expect((await workspace.run(['fetch', NAME])).exit).toBe(0)
    expect(await readFile(victim, 'utf8')).toBe('mine')
  })
})
