import { mkdir, mkdtemp, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Operation, Question } from '../../api/approval.ts'
import { answersFolderOf, openKeptAnswers } from './kept-answers.ts'
import { openPendingApprovals } from './pending-approvals.ts'

const LIFETIME_MS = 60_000
const question = {
  approvalType: 'tool_permission',
  fqdn: 'acme.tools.text.shout',
  tool: 'text:shout',
  arguments: { a: 1, deep: { x: [1, 2], y: null } },
  lockedIntegrity: 'sha256-one',
  description: 'Permission to run it',
} as unknown as Question
const operation = {
  kind: 'call',
  tool: 'text:shout',
  args: { a: 1, deep: { x: [1, 2], y: null } },
} as unknown as Operation

let folder: string
let now: number
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'pml-answers-')))
  now = Date.parse('2030-01-01T00:00:00Z')
})
afterEach(() => rm(folder, { recursive: true }))

/** As another process of the same workspace would open it, unless it says otherwise. */
function open({ client = 'one', lifetimeMs = LIFETIME_MS } = {}) {
  const clock = { lifetimeMs, now: () => new Date(now) }
  return openPendingApprovals({
    folder: join(folder, 'approvals'),
    answers: openKeptAnswers({ folder: join(folder, 'answers'), ...clock }),
    clientId: () => Promise.resolve(client),
    ...clock,
  })
}

async function answer(approved: boolean): Promise<void> {
  const approvals = open()
  const { workflowId } = await approvals.ask(question, operation)
  const given = { approved, proof: { kind: 'none' } } as const
  await approvals.keep(await approvals.take(workflowId, given, () => undefined), given)
}

describe('a yes', () => {
  it('is spent once by concurrent processes', async () => {
    await answer(true)
    const racers = Array.from({ length: 20 }, () => open().spend(question, operation))
    expect((await Promise.all(racers)).filter(Boolean)).toEqual([true])
    expect(await open().isGranted(question, operation)).toBe(false)
  })

  it('is for the same call in whatever order its members come', async () => {
    await answer(true)
    const turned = { deep: { y: null, x: [1, 2] }, a: 1 }
    const same = { ...question, arguments: turned } as Question
    expect(await open().spend(same, { ...operation, args: turned } as Operation)).toBe(true)
  })

  const other = (change: object) => ({ ...question, ...change }) as Question
  it.each<[string, Question, Operation]>([
    ['other arguments', other({ arguments: { a: 2, deep: { x: [1, 2], y: null } } }), operation],
    ['another order of a list', other({ arguments: { a: 1, deep: { x: [2, 1], y: null } } }), operation],
    ['a text for a number', other({ arguments: { a: '1', deep: { x: [1, 2], y: null } } }), operation],
    ['a member more', other({ arguments: { a: 1, b: 1, deep: { x: [1, 2], y: null } } }), operation],
    ['a member named __proto__', other(JSON.parse('{"arguments":{"a":1,"__proto__":{}}}')), operation],
    ['another tool', other({ tool: 'text:whisper' }), operation],
    ['content that changed', other({ lockedIntegrity: 'sha256-two' }), operation],
    ['another operation', question, { ...operation, args: {} } as Operation],
  ])('is not one to %s', async (_what, asked, waiting) => {
    await answer(true)
    expect(await open().isGranted(asked, waiting)).toBe(false)
    expect(await open().spend(asked, waiting)).toBe(false)
    expect(await open().spend(question, operation)).toBe(true)
  })

  it('is not one in another workspace', async () => {
    await answer(true)
    expect(await open({ client: 'two' }).spend(question, operation)).toBe(false)
    const ops = { env: { HOME: folder }, platform: 'linux' } as const
    const [one, two] = ['/a', '/b'].map((root) => answersFolderOf({ root }, ops))
    expect(one).not.toBe(two)
  })

  it('is gone when its time is over, and when it claims more time than anybody gets', async () => {
    await answer(true)
    expect(await open({ lifetimeMs: LIFETIME_MS - 1 }).isGranted(question, operation)).toBe(false)
    now += LIFETIME_MS - 1
    expect(await open().isGranted(question, operation)).toBe(true)
    now += 1
    expect(await open().isGranted(question, operation)).toBe(false)
    expect(await open().spend(question, operation)).toBe(false)
  })

  it('is readable for its owner alone', async () => {
    await answer(true)
    const answers = join(folder, 'answers')
    expect((await stat(answers)).mode & 0o777).toBe(0o700)
    for (const file of await readdir(answers))
      expect((await stat(join(answers, file))).mode & 0o777).toBe(0o600)
  })

  it('is neither written nor read through a link', async () => {
    await answer(true)
    const answers = join(folder, 'answers')
    const [file = ''] = (await readdir(answers)).filter((name) => name.endsWith('.answer'))
    await writeFile(join(folder, 'elsewhere'), JSON.stringify({ version: 1, approved: true }))
    await rm(join(answers, file))
    await symlink(join(folder, 'elsewhere'), join(answers, file))
    await expect(open().isGranted(question, operation)).rejects.toThrow('symbolic link')
    await rm(answers, { recursive: true })
    await mkdir(join(folder, 'other'))
    await symlink(join(folder, 'other'), answers)
    await expect(open().isGranted(question, operation)).rejects.toThrow('symbolic link')
    expect(await readdir(join(folder, 'other'))).toEqual([])
  })
})

describe('a no', () => {
  it('holds for all callers, and is not used up', async () => {
    await answer(false)
    for (let time = 0; time < 2; time++) {
      expect(await open().spend(question, operation)).toBe(false)
      await expect(open().ask(question, operation)).rejects.toMatchObject({ code: 'rejected' })
    }
    now += LIFETIME_MS
    expect(await open().ask(question, operation)).toMatchObject({ approvalRequired: true })
  })
})

describe('an open question', () => {
  it('is shared by all callers with the same question only', async () => {
    const { workflowId } = await open().ask(question, operation)
    expect(await open().ask(question, operation)).toMatchObject({ workflowId })
    const [note = ''] = await readdir(join(folder, 'answers'))
    const otherQuestion = { ...question, tool: 'text:whisper' } as unknown as Question
    const { workflowId: second } = await open().ask(otherQuestion, operation)
    expect(second).not.toBe(workflowId)
    // A note that names another question is not believed.
    await writeFile(join(folder, 'answers', note), second)
    expect((await open().ask(question, operation)).workflowId).not.toBe(second)
  })
})
