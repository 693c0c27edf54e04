import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { openPublisher, saying, type Publisher } from '../../../test/publisher.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'

let registry: TestRegistry
let publisher: Publisher
let workspace: TestWorkspace
let name: string
let count = 0

beforeAll(async () => {
  registry = await startRegistry()
  publisher = await openPublisher(registry)
})
afterAll(() => registry.stop())
beforeEach(async () => {
  workspace = await makeWorkspace(registry.url)
  name = `acme.tools.text.shout${count++}`
  await publisher.publish(name, saying('one'))
  await run('add', name)
})
afterEach(() => workspace.remove())

const run = (...argv: string[]) => workspace.run(argv)
const shout = async () => {
  const { exit, stdout } = await run('run', name)
  return [exit, stdout]
}
const answer = async (word: '--approve' | '--reject', ...argv: string[]) => {
  const asked = JSON.parse((await run(...argv, '--json')).stdout) as { workflowId: string }
  return run('continue', asked.workflowId, word)
}

describe('after a rejected release', () => {
  it('the locked release keeps working, and nobody is asked about the rejected one again', async () => {
    await publisher.publish(name, saying('two'))
    expect((await answer('--reject', 'run', name)).exit).toBe(4)
    expect(await shout()).toEqual([0, 'one\n'])
    const { stderr } = await run('run', name)
    expect(stderr).toContain('was declined')
    expect(stderr).toContain(`"pml update ${name}"`)
    const pml = await workspace.open()
    expect(await pml.call(name)).toMatchObject({ result: 'one' })
  })

  it('the locked release also works in a clone without a cache', async () => {
    await publisher.publish(name, saying('two'))
    await answer('--reject', 'run', name)
    await run('cache', 'clean')
    expect(await shout()).toEqual([0, 'one\n'])
  })

  it('another release prompts', async () => {
    await publisher.publish(name, saying('two'))
    await answer('--reject', 'run', name)
    await publisher.publish(name, saying('three'))
    expect(await shout()).toEqual([3, expect.stringContaining('three')])
  })

  it('pml update and pml add ask again, and a yes counts', async () => {
    await publisher.publish(name, saying('two'))
    await answer('--reject', 'run', name)
    expect((await run('add', name)).exit).toBe(3)
    expect((await answer('--approve', 'update', name)).exit).toBe(0)
    expect(await shout()).toEqual([0, 'two\n'])
  })

  it('a frozen lockfile still refuses', async () => {
    await publisher.publish(name, saying('two'))
    await answer('--reject', 'run', name)
    expect((await run('run', name, '--frozen')).exit).toBe(4)
  })

  it('an unreadable file of rejections leads to a new prompt', async () => {
    await publisher.publish(name, saying('two'))
    await answer('--reject', 'run', name)
    const folder = join(workspace.env['XDG_STATE_HOME'] ?? '', 'pml', 'releases')
    const [file = ''] = await readdir(folder)
    await writeFile(join(folder, file), '{"version":1,"names":[')
    expect((await shout())[0]).toBe(3)
  })
})

describe('pml rollback', () => {
  const update = async (text: string) => {
    await publisher.publish(name, saying(text))
    expect((await answer('--approve', 'run', name)).exit).toBe(0)
  }

  it('locks the previous release, which keeps working', async () => {
    const before = await readFile(join(workspace.root, '.pml', 'mcp.lock'), 'utf8')
    await update('two')
    await update('three')
    const { exit, stdout } = await run('rollback', name, '--json')
    expect(exit).toBe(0)
    const { from, to } = JSON.parse(stdout) as { from: string; to: string }
    expect([from.startsWith(name), to.startsWith(name), from === to]).toEqual([true, true, false])
    expect(await shout()).toEqual([0, 'two\n'])
    expect((await run('rollback', name)).exit).toBe(0)
    expect(await shout()).toEqual([0, 'one\n'])
    expect(await readFile(join(workspace.root, '.pml', 'mcp.lock'), 'utf8')).toBe(before)
    expect(await run('rollback', name)).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('no other release of it was locked here before'),
    })
  })

  it('works with an empty cache', async () => {
    await update('two')
    await run('cache', 'clean')
    expect((await run('rollback', name)).exit).toBe(0)
    expect(await shout()).toEqual([0, 'one\n'])
  })

  it('refuses a frozen lockfile, unlocked names and denied names', async () => {
    await update('two')
    expect((await run('rollback', name, '--frozen')).exit).toBe(4)
    const near = `${name.slice(0, -1)}x`
    expect(await run('rollback', near)).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining(`did you mean '${name}'?`),
    })
    await workspace.writeConfig({ permissions: { allow: ['*'], deny: ['text:*'] } })
    expect((await run('rollback', name)).exit).toBe(5)
  })
})
