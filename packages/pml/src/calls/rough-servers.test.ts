import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../apps/server/test/registry.ts'
import { openCatalog, type Catalog, type CommandOptions } from '../../test/catalog.ts'
import { isAlive, roughServer } from '../../test/rough-folder.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'
import type { Approval, DependencyApprovalRequired, Pml } from '../index.ts'

const NODE = process.execPath
/** Other tests run at the same time. */
const soon = { timeout: 20_000 }

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
  await pml.close()
  expect(await alive()).toEqual([])
  await workspace.remove()
})

const note = (name: string) => readFile(join(workspace.root, name), 'utf8').catch(() => '')

/** Those of the processes that servers noted which still run. */
async function alive(): Promise<number[]> {
  const pids = (await note('pids')).trim().split(' ').filter(Boolean).map(Number)
  const states = await Promise.all(pids.map(isAlive))
  return pids.filter((_, index) => states[index])
}

async function untilStarted(): Promise<void> {
  await expect.poll(() => note('starts'), soon).not.toBe('')
}

/** Publishes a server with these manners; its command is agreed to, so that the next call starts it. */
async function agreed(
  manner: string,
  more: CommandOptions & { args?: readonly string[] } = {},
): Promise<string> {
  const server = `rough${count++}`
  await catalog.command(server, [NODE, roughServer, manner, ...(more.args ?? [])], { tools: [], ...more })
  await pml.fetch(server)
  const { workflowId } = (await pml.call(`${server}:echo`)) as Approval
  const stop = new AbortController()
  const started = pml
    .continueWorkflow({ workflowId, approved: true }, { signal: stop.signal })
    .catch(() => undefined)
  await untilStarted()
  stop.abort()
  await started
  await pml.close()
  expect(await alive()).toEqual([])
  pml = await workspace.open()
  return server
}

describe('a command that is not pinned', () => {
  it('is shown whole before it is run, and runs only after a yes', async () => {
    await catalog.command('whole', [NODE, roughServer, 'good', 'two words', '--flag=$HOME', '${WORKSPACE}'], {
      envRequired: ['WORKSPACE'],
    })
    const approval = (await pml.call('whole:echo', { a: 1 })) as DependencyApprovalRequired
    expect(approval).toMatchObject({
      approvalType: 'dependency',
      isPinned: false,
      fqdn: 'pml.mcp.whole.server',
    })
    expect(approval.commandLine).toBe(
      `${NODE} ${roughServer} good "two words" "--flag=$HOME" ${workspace.root}`,
    )
    expect(approval.description).toContain(approval.commandLine)
    expect(await note('starts')).toBe('')
    const { workflowId } = approval
    expect(await pml.continueWorkflow({ workflowId, approved: true })).toMatchObject({ result: { a: 1 } })
    expect(await note('starts')).toBe('.')
  })

  it('that needs a secret shows its name, and the secret is written nowhere', async () => {
    workspace.env['ROUGH_SECRET'] = 'hunter2-in-a-command'
    pml = await workspace.open()
    await catalog.command('secret', [NODE, roughServer, 'good', '--key', '${ROUGH_SECRET}'], {
      envRequired: ['ROUGH_SECRET'],
    })
    const approval = (await pml.call('secret:echo')) as DependencyApprovalRequired
    expect(JSON.stringify(approval)).not.toContain('hunter2')
    expect(approval.commandLine).toMatch(/--key "\$\{ROUGH_SECRET\}"$/)
    expect(approval.description).toContain('ROUGH_SECRET')
    await pml.continueWorkflow({ workflowId: approval.workflowId, approved: true })
    const [pid = 0] = (await note('pids')).trim().split(' ').map(Number)
    expect(await readFile(`/proc/${pid}/cmdline`, 'utf8')).toContain('hunter2-in-a-command')
    const consent = JSON.stringify(await workspace.readConsent())
    expect(consent).toContain('${ROUGH_SECRET}')
    expect(consent).not.toContain('hunter2')
  })

  it('that repeats its secret as it dies is quoted without it', async () => {
    workspace.env['ROUGH_SECRET'] = 'hunter2-in-the-environment'
    pml = await workspace.open()
    const script = `console.error('my key is ' + process.env.ROUGH_SECRET); process.exit(3)`
    await catalog.command('telltale', [NODE, '-e', script], { envRequired: ['ROUGH_SECRET'] })
    const { workflowId } = (await pml.call('telltale:echo')) as DependencyApprovalRequired
    const quoted = 'my key is ***'
    await expect(pml.continueWorkflow({ workflowId, approved: true })).rejects.toMatchObject({
      message: expect.stringContaining(quoted),
    })
    expect(workspace.told).toContain(quoted)
    expect(workspace.told.join()).not.toContain('hunter2')
  })

  it.each(['stdio', 'http'])(
    'or any server that wants the key of the registry does not get it: %s',
    async (type) => {
      workspace.env['PML_API_KEY'] = (await registry.key('admin')).Authorization.slice('Bearer '.length)
      pml = await workspace.open()
      if (type === 'stdio')
        await catalog.command('thief', [NODE, roughServer, 'good'], { envRequired: ['PML_API_KEY'] })
      else
        await catalog.document('pml.mcp.thief.server', {
          type,
          description: 'A thief',
          proxyTo: 'http://127.0.0.1:9/mcp?key=${PML_API_KEY}',
          envRequired: ['PML_API_KEY'],
          tools: ['thief:echo'],
        })
      const lock = await pml.fetch('thief')
      if (lock.approvalRequired) await pml.continueWorkflow({ workflowId: lock.workflowId, approved: true })
      await expect(pml.call('thief:echo')).rejects.toMatchObject({
        code: 'not_granted',
        message: expect.stringContaining('PML_API_KEY, which is only for the registry'),
      })
    },
  )
})

describe('a server', () => {
  it('is started once for many calls in one process, and is gone after close', async () => {
    const server = await agreed('good')
    const before = (await note('starts')).length
    const calls = await Promise.all([1, 2, 3].map((a) => pml.call(`${server}:echo`, { a })))
    expect(calls).toMatchObject([{ result: { a: 1 } }, { result: { a: 2 } }, { result: { a: 3 } }])
    await pml.call(`${server}:echo`)
    expect((await note('starts')).length - before).toBe(1)
    expect(await alive()).toHaveLength(1)
    await pml.close()
    expect(await alive()).toEqual([])
  })

  it('that prints garbage still works', async () => {
    const server = await agreed('garbage')
    expect(await pml.call(`${server}:echo`, { money: '€ 5' })).toMatchObject({ result: { money: '€ 5' } })
  })

  it.each([
    ['exits at once', 'crash', 'it exited with code 3'],
    ['closes its stdout', 'mute', 'it closed its stdout'],
  ])('that %s is an error that says so', async (_what, manner, message) => {
    const server = await agreed(manner)
    await expect(pml.call(`${server}:echo`)).rejects.toMatchObject({
      code: 'server_failed',
      exitCode: 1,
      message: expect.stringContaining(`Cannot connect to ${server}: ${message}`),
    })
    expect(await alive()).toEqual([])
    const { exit, stdout } = await workspace.run(['run', `${server}:echo`, '--json'])
    expect([exit, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ error: 'server_failed' })])
  })

  it('that never answers is given up at the time limit of the call, and is gone', async () => {
    const server = await agreed('silent')
    await expect(pml.call(`${server}:echo`, {}, { timeoutMs: 1500 })).rejects.toMatchObject({
      code: 'tool_timeout',
      message: expect.stringContaining('no answer within 1500 ms'),
    })
    await expect.poll(alive, soon).toEqual([])
    const argv = ['run', `${server}:echo`, '--timeout-ms', '1500', '--json']
    expect(JSON.parse((await workspace.run(argv)).stdout)).toMatchObject({ error: 'tool_timeout' })
  })

  it('that never answers does not hold up close', async () => {
    const server = await agreed('silent')
    const calling = pml.call(`${server}:echo`).catch((error: unknown) => error)
    await expect.poll(alive, soon).toHaveLength(1)
    await pml.close()
    expect(await alive()).toEqual([])
    expect(await calling).toMatchObject({ name: 'PmlError', code: 'cancelled' })
  })

  it('that one caller cancels continues for the other', async () => {
    const server = await agreed('good')
    const stop = new AbortController()
    const given = pml
      .call(`${server}:echo`, { a: 1 }, { signal: stop.signal })
      .catch((error: unknown) => error)
    const kept = pml.call(`${server}:echo`, { a: 2 })
    await expect.poll(alive, soon).toHaveLength(1)
    stop.abort()
    await given
    expect(await kept).toMatchObject({ result: { a: 2 } })
  })

  it('leaves none of its children behind, wherever they went', async () => {
    const server = await agreed('family')
    await pml.call(`${server}:echo`)
    expect((await alive()).length).toBe(4)
    await pml.close()
    expect(await alive()).toEqual([])
  })

  it('that says a call failed has failed it, with exit 1', async () => {
    const server = await agreed('good')
    await expect(pml.call(`${server}:fails`, { why: 1 })).rejects.toMatchObject({
      code: 'tool_failed',
      message: `Cannot finish ${server}:fails: {"why":1}`,
    })
    expect(await workspace.run(['run', `${server}:fails`])).toMatchObject({ exit: 1, stdout: '' })
  })

  it('that has no such tool is an error that says so', async () => {
    const server = await agreed('good')
    await expect(pml.call(`${server}:unknown`)).rejects.toMatchObject({
      code: 'unknown_tool',
      exitCode: 2,
      message: `Cannot call unknown of ${server}: there is no such tool`,
    })
  })

  it('that dies is started again by the next call', async () => {
    const server = await agreed('good')
    await expect(pml.call(`${server}:dies`)).rejects.toMatchObject({ code: 'server_failed' })
    expect(await pml.call(`${server}:echo`, { a: 1 })).toMatchObject({ result: { a: 1 } })
  })
})

describe('the command that runs a server', () => {
  it.each(['good', 'stubborn', 'family'])('leaves nothing behind when it ends: %s', async (manner) => {
    const server = await agreed(manner)
    expect(await workspace.run(['run', `${server}:echo`])).toMatchObject({ exit: 0 })
    expect(await alive()).toEqual([])
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'leaves nothing behind when %s ends it',
    async (signal) => {
      for (const [manner, tool] of [
        ['silent', 'echo'],
        ['family', 'waits'],
      ] as const) {
        const server = await agreed(manner)
        const running = workspace.start(['run', `${server}:${tool}`])
        await expect
          .poll(async () => (await alive()).length, soon)
          .toBeGreaterThan(manner === 'family' ? 3 : 0)
        running.kill(signal)
        expect(await running.outcome).toMatchObject({ exit: 130 })
        expect(await alive()).toEqual([])
      }
    },
  )

  it('leaves nothing behind when it is interrupted again while it waits for a server to end', async () => {
    const server = await agreed('stubborn')
    const calls = async () => (await note('heard')).split('tools/call').length
    const before = await calls()
    // Of the server that was asked for its agreement, which may have ended before it could write it.
    await rm(join(workspace.root, 'unmoved'), { force: true })
    const running = workspace.start(['run', `${server}:waits`])
    await expect.poll(calls, soon).toBeGreaterThan(before)
    running.kill('SIGINT')
    await expect.poll(() => note('unmoved'), soon).toBe('stdin ended')
    running.kill('SIGINT')
    expect(await running.outcome).toMatchObject({ exit: 130 })
    await expect.poll(alive, soon).toEqual([])
  })
})
