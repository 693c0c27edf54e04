import { cp, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../../../../apps/server/test/registry.ts'
import { openCatalog, type Catalog } from '../../../test/catalog.ts'
import { kinds, SECRET, stopAt, type Kind } from '../../../test/questions.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'
import { openClient } from '../../calls/open-client.ts'
import type { Answered } from '../../api/pml.ts'
import type { Approval, Pml } from '../../index.ts'
import { processOps } from '../../machine/ops.ts'
import { limitsOf } from '../../calls/call-parts.ts'
import { callTool } from '../../calls/call-tool.ts'
import { answerWorkflow, continueWorkflow } from '../../calls/continue-workflow.ts'

const MINUTE_MS = 60_000
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

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
  workspace.env['QUESTION_KEY'] = ''
  pml = await workspace.open()
})
afterEach(() => workspace.remove())

const stop = (kind: Kind) => stopAt(kind, { catalog, workspace, pml })
const folder = () => join(workspace.root, '.pml', 'approvals')
const fileOf = ({ workflowId }: Approval) => join(folder(), `${workflowId}.json`)

/** Everything that pml keeps about its questions, as text. */
async function keptText(): Promise<string> {
  const names = await readdir(folder())
  const texts = await Promise.all(names.map((name) => readFile(join(folder(), name), 'utf8')))
  return [...names, ...texts].join('\n')
}

/** A client whose clock stands where it is told to. */
async function openAt(now: Date, env: Record<string, string> = {}) {
  const { cacheDir: cacheHome, root } = workspace
  const ops = { ...processOps(), env: { ...workspace.env, ...env }, cacheHome, now: () => now }
  return openClient(ops, { workspace: root })
}

describe.each(kinds)('a question of the kind %s', (kind) => {
  it('has what every question has, and the members of its kind', async () => {
    const { approval, name, tool } = await stop(kind)
    const own = {
      integrity: {
        oldHash: expect.stringMatching(/^[0-9a-f]{4,64}$/),
        newHash: expect.stringMatching(/^[0-9a-f]{4,64}$/),
        oldFetchedAt: expect.stringMatching(/^20\d\d-.*Z$/),
        diff: expect.stringContaining('two'),
      },
      dependency: { isPinned: false, commandLine: expect.stringContaining('rough-server.mjs good') },
      api_key_required: { missing: ['QUESTION_KEY'] },
      tool_permission: { tool, arguments: { secret: SECRET } },
    }[kind]
    expect(approval).toMatchObject({
      approvalRequired: true,
      approvalType: kind,
      fqdn: name,
      description: expect.stringContaining(name),
      workflowId: expect.stringMatching(uuid),
      expiresAt: expect.stringMatching(/^20\d\d-.*Z$/),
      ...own,
    })
    expect(await pml.pending()).toEqual([approval])
  })

  it('is kept where only its owner can read it, and is good for five minutes', async () => {
    const { approval } = await stop(kind)
    expect((await stat(folder())).mode & 0o777).toBe(0o700)
    expect((await stat(fileOf(approval))).mode & 0o777).toBe(0o600)
    const left = Date.parse(approval.expiresAt) - Date.now()
    expect(left).toBeGreaterThan(4.5 * MINUTE_MS)
    expect(left).toBeLessThanOrEqual(5 * MINUTE_MS)
  })

  it('is answered by another process, which resumes the operation', async () => {
    const { approval, tool } = await stop(kind)
    await pml.close()
    const env = { QUESTION_KEY: 'set' }
    const argv = ['continue', approval.workflowId, '--approve', '--run', '--json']
    const { exit, stdout } = await workspace.run(argv, { env })
    const result = { integrity: 'two 24', tool_permission: 'one 24' }[kind as string] ?? { secret: SECRET }
    expect(JSON.parse(stdout)).toMatchObject(
      kind === 'api_key_required'
        ? { approvalRequired: true, approvalType: 'dependency' }
        : { approvalRequired: false, tool, result },
    )
    expect(exit).toBe(kind === 'api_key_required' ? 3 : 0)
  })

  it('is answered once, whether by yes or by no', async () => {
    const { approval } = await stop(kind)
    const { workflowId } = approval
    const code = 'rejected'
    await expect(pml.continueWorkflow({ workflowId, approved: false })).rejects.toMatchObject({ code })
    for (const approved of [true, false])
      await expect(pml.continueWorkflow({ workflowId, approved })).rejects.toMatchObject({
        code: 'workflow_answered',
      })
    expect(await pml.pending()).toEqual([])
  })

  it('that is answered too late is not answered, and can be asked anew', async () => {
    const { approval } = await stop(kind)
    const { workflowId, expiresAt } = approval
    const late = await openAt(new Date(expiresAt))
    const answer = { workflowId, approved: true, given: { by: 'terminal' } } as const
    await expect(continueWorkflow(late, answer, limitsOf())).rejects.toMatchObject({
      code: 'workflow_expired',
      message: expect.stringContaining(expiresAt),
    })
    await late.close()
    await expect(pml.continueWorkflow(answer)).rejects.toMatchObject({ name: 'PmlError' })
  })

  it('means nothing in another workspace', async () => {
    const { approval } = await stop(kind)
    const other = await makeWorkspace(registry.url)
    try {
      const there = await other.open()
      const answer = { workflowId: approval.workflowId, approved: true }
      await expect(there.continueWorkflow(answer)).rejects.toMatchObject({ code: 'unknown_workflow' })
      await mkdir(join(other.root, '.pml', 'approvals'), { recursive: true })
      await cp(fileOf(approval), join(other.root, '.pml', 'approvals', `${approval.workflowId}.json`))
      await expect(there.continueWorkflow(answer)).rejects.toMatchObject({ code: 'unknown_workflow' })
      expect(await there.pending()).toEqual([])
      const elsewhere = await workspace.run(['continue', approval.workflowId, '--approve', '--json'], {
        cwd: other.root,
      })
      expect(elsewhere).toMatchObject({ exit: 1, stdout: expect.stringContaining('unknown_workflow') })
    } finally {
      await other.remove()
    }
    expect(await pml.pending()).toHaveLength(1)
  })

  it('leaves nothing of the arguments behind once it is answered', async () => {
    for (const approved of [true, false]) {
      const { approval } = await stop(kind)
      expect(await keptText()).toContain(SECRET)
      workspace.env['QUESTION_KEY'] = 'set'
      const { workflowId } = approval
      await pml.continueWorkflow({ workflowId, approved }).catch(() => undefined)
      for (const { workflowId: next } of await pml.pending())
        await pml.continueWorkflow({ workflowId: next, approved: false }).catch(() => undefined)
      expect(await keptText()).not.toContain(SECRET)
      workspace.env['QUESTION_KEY'] = ''
    }
  })
})

describe('a question', () => {
  it('that twenty processes answer at once has one winner', async () => {
    const { approval } = await stop('tool_permission')
    const argv = ['continue', approval.workflowId, '--approve', '--json']
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => workspace.run(argv)))
    const errors = outcomes.map(({ stdout }) => (JSON.parse(stdout) as { error?: string }).error ?? 'none')
    expect(errors.toSorted()).toEqual(['none', ...Array.from({ length: 19 }, () => 'workflow_answered')])
  })

  it('lives as long as PML_APPROVAL_SECONDS says', async () => {
    workspace.env['PML_APPROVAL_SECONDS'] = '30'
    pml = await workspace.open()
    const { approval } = await stop('tool_permission')
    expect(Date.parse(approval.expiresAt) - Date.now()).toBeLessThanOrEqual(30_000)
    const { exit, stderr } = await workspace.run(['list'], { env: { PML_APPROVAL_SECONDS: 'soon' } })
    expect(exit).toBe(2)
    expect(stderr).toContain('PML_APPROVAL_SECONDS: expected a whole number from 1 to 86400')
  })

  it('is answered at the last moment, and not at the next', async () => {
    const { approval } = await stop('tool_permission')
    const just = await openAt(new Date(Date.parse(approval.expiresAt) - 1))
    const answer = { workflowId: approval.workflowId, approved: true, given: { by: 'terminal' } } as const
    expect(await continueWorkflow(just, answer, limitsOf())).toMatchObject({ approvalRequired: false })
    await just.close()
  })

  it.each([
    ['that was made up', '3f2b8c1e-4d5a-4b6c-8d7e-9f0a1b2c3d4e'],
    ['that is a path', '../../.pml'],
    ['that is a path to a question', '../approvals/x'],
    ['that is empty', ''],
    ['of another version', '3f2b8c1e-4d5a-1b6c-8d7e-9f0a1b2c3d4e'],
    ['with more behind it', '3f2b8c1e-4d5a-4b6c-8d7e-9f0a1b2c3d4e\n'],
    ['in capitals', '3F2B8C1E-4D5A-4B6C-8D7E-9F0A1B2C3D4E'],
    ['that is missing', undefined],
    ['that is no text', 7],
  ])('is not found by an id %s', async (_what, workflowId) => {
    await stop('tool_permission')
    const answer = { workflowId: workflowId as string, approved: true }
    await expect(pml.continueWorkflow(answer)).rejects.toMatchObject({
      name: 'PmlError',
      code: 'unknown_workflow',
      message: expect.stringMatching(/^Cannot continue .*run the command again/s),
    })
    await expect(pml.fetch('any', { continueWorkflow: answer })).rejects.toMatchObject({
      code: 'unknown_workflow',
    })
    expect(await pml.pending()).toHaveLength(1)
  })

  it.each(['true', 1, undefined, null])(
    'is not answered by %j, which is neither yes nor no',
    async (word) => {
      const { approval } = await stop('tool_permission')
      const answer = { workflowId: approval.workflowId, approved: word as unknown as boolean }
      await expect(pml.continueWorkflow(answer)).rejects.toMatchObject({ code: 'invalid_arguments' })
      expect(await pml.pending()).toEqual([approval])
    },
  )

  it('whose file pml did not write is ignored', async () => {
    const { approval } = await stop('tool_permission')
    const whole = await readFile(fileOf(approval), 'utf8')
    for (const text of [
      '',
      '{',
      'null',
      '{"version":2}',
      whole.slice(0, -1),
      whole.replace('"version":1', '"version":2'),
    ]) {
      await writeFile(fileOf(approval), text)
      await expect(
        pml.continueWorkflow({ workflowId: approval.workflowId, approved: true }),
      ).rejects.toMatchObject({ code: 'unknown_workflow' })
    }
  })
})

describe('a yes stored for the next same call', () => {
  const keep = async () => {
    const { approval, tool } = await stop('tool_permission')
    const client = await openAt(new Date())
    const kept = await answerWorkflow(client, {
      workflowId: approval.workflowId,
      approved: true,
      given: { by: 'terminal' },
    })
    await client.close()
    return { tool, expiresAt: Date.parse((kept as Answered).expiresAt ?? ''), approval }
  }
  const callAt = async (now: number, tool: string) => {
    const client = await openAt(new Date(now))
    try {
      return await callTool(client, { tool, args: { secret: SECRET }, ...limitsOf() })
    } finally {
      await client.close()
    }
  }

  it('is good for five minutes from the answer on, and not a moment longer', async () => {
    const { tool, expiresAt } = await keep()
    expect(expiresAt - Date.now()).toBeGreaterThan(4.5 * MINUTE_MS)
    expect(await callAt(expiresAt, tool)).toMatchObject({ approvalType: 'tool_permission' })
    expect(await callAt(expiresAt - 1, tool)).toMatchObject({ result: 'one 24' })
    expect(await callAt(expiresAt - 1, tool)).toMatchObject({ approvalType: 'tool_permission' })
  })

  it('is spent by the library too', async () => {
    const { tool } = await keep()
    expect(await pml.call(tool, { secret: SECRET })).toMatchObject({ result: 'one 24' })
    expect(await pml.call(tool, { secret: SECRET })).toMatchObject({ approvalType: 'tool_permission' })
  })

  it('is in the person’s folder: no workspace can bring one', async () => {
    const { tool } = await keep()
    const other = await makeWorkspace(registry.url)
    try {
      for (const part of ['.pml', '.pml.json'])
        await cp(join(workspace.root, part), join(other.root, part), { recursive: true })
      const there = await other.open({
        env: { ...other.env, XDG_STATE_HOME: workspace.env['XDG_STATE_HOME'] },
      })
      expect(await there.call(tool, { secret: SECRET })).toMatchObject({ approvalType: 'tool_permission' })
    } finally {
      await other.remove()
    }
    const kept = await readdir(join(workspace.env['XDG_STATE_HOME'] ?? '', 'pml'), { recursive: true })
    for (const name of kept.filter((one) => one.endsWith('.answer')))
      expect((await stat(join(workspace.env['XDG_STATE_HOME'] ?? '', 'pml', name))).mode & 0o777).toBe(0o600)
  })

  it('that pml did not write is ignored', async () => {
    const { tool } = await keep()
    const home = join(workspace.env['XDG_STATE_HOME'] ?? '', 'pml')
    const [name = ''] = (await readdir(home, { recursive: true })).filter((one) => one.endsWith('.answer'))
    const whole = await readFile(join(home, name), 'utf8')
    const far = whole.replace(/"20\d\d/, '"2999')
    for (const text of ['', '{', 'null', 'true', whole.replace('"version":1', '"version":2'), far]) {
      await writeFile(join(home, name), text)
      expect(await pml.call(tool, { secret: SECRET })).toMatchObject({ approvalType: 'tool_permission' })
    }
  })
})

describe('questions that nobody answers', () => {
  const ask = async () => {
    const { approval } = await stop('tool_permission')
    return `${approval.workflowId}.json`
  }

  it('are forgotten some time after they were good for something', async () => {
    const [first, second] = [await ask(), await ask()]
    const old = new Date(Date.now() - 11 * MINUTE_MS)
    await utimes(join(folder(), first), old, old)
    const third = await ask()
    expect((await readdir(folder())).sort()).toEqual([second, third].sort())
  })

  it('are never more than a thousand, the newest, and a folder among them is left alone', async () => {
    const first = await ask()
    const before = new Date(Date.now() - MINUTE_MS)
    for (let number = 0; number < 1200; number++) {
      const path = join(folder(), `${number}.json`)
      await writeFile(path, '{}')
      await utimes(path, before, before)
    }
    await mkdir(join(folder(), 'folder'))
    await utimes(join(folder(), 'folder'), 0, 0)
    const last = await ask()
    const kept = await readdir(folder())
    expect(kept).toEqual(expect.arrayContaining([first, last, 'folder']))
    expect(kept).toHaveLength(1001)
  })
})
