import { randomUUID } from 'node:crypto'
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { IntegrityError, PmlError } from '@pml/core'
import { fileError } from '../../machine/files/file-error.ts'
import { readPlainFile } from '../../machine/files/read-plain-file.ts'
import { writeAtomically } from '../../machine/files/write-atomically.ts'
import { findFolder, requireFolder } from '../workspace-files.ts'
import type { Approval, Operation, Question } from '../../api/approval.ts'
import { forgetOld, digestOf, type KeptAnswer, type KeptAnswers, type QuestionKey } from './kept-answers.ts'

/** A question and what waits for its answer, as it is kept on disk. */
interface Pending {
  readonly version: 1
  /** Of the workspace that asked; in another one it means nothing. */
  readonly clientId: string
  readonly approval: Approval
  readonly operation: Operation
}

/** An answer and how it is known to be a person's. */
type GivenAnswer = Pick<KeptAnswer, 'approved' | 'proof'>

export interface PendingApprovals {
  /**
   * Keeps the question and gives it a workflow; one that is open already has its own. Throws `rejected` while a kept no to
   * it stands.
   */
  ask(question: Question, operation: Operation): Promise<Approval>
  /** One that can still be answered; others are told why they cannot. */
  show(workflowId: string): Promise<Approval>
  /**
   * The question that is answered now: one caller gets it, once, in time. Others are told why they do not. An answer
   * that `check` throws at leaves the question open.
   */
  take(workflowId: string, given: GivenAnswer, check: (approval: Approval) => void): Promise<Pending>
  /** Keeps the answer to a question that was taken, for whoever asks it again: a yes for one of them, a no for all. */
  keep(pending: Pending, given: GivenAnswer): Promise<KeptAnswer>
  /** Whether a yes is kept for it. */
  isGranted(question: Question, operation: Operation): Promise<boolean>
  /** The same, and it is used up: of all processes that try, one gets true. */
  spend(question: Question, operation: Operation): Promise<boolean>
  list(): Promise<Approval[]>
}

interface PendingDeps {
  readonly folder: string
  readonly lifetimeMs: number
  readonly answers: KeptAnswers
  clientId(): Promise<string>
  now(): Date
}

const ANSWERED_LIMIT_BYTES = 64 * 1024
const LIMIT_BYTES = 64 * 1024 * 1024
const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export function openPendingApprovals(deps: PendingDeps): PendingApprovals {
  const { folder, lifetimeMs, answers, clientId, now } = deps
  const fileOf = (id: string) => join(folder, `${id}.json`)
  const answeredOf = (id: string) => join(folder, `${id}.answered`)

  const isAnswered = async (id: string) =>
    (await readPlainFile(answeredOf(id), ANSWERED_LIMIT_BYTES)) !== undefined
  const isLate = ({ expiresAt }: Approval) => Date.parse(expiresAt) <= now().getTime()

  async function find(workflowId: string): Promise<Pending | undefined> {
    if (!(await findFolder(folder))) return undefined
    const file = await readPlainFile(fileOf(workflowId), LIMIT_BYTES)
    const pending = file && parsePending(file.bytes)
    const isOurs = pending?.clientId === (await clientId()) && pending.approval.workflowId === workflowId
    return isOurs ? pending : undefined
  }
  async function require(workflowId: string): Promise<Pending> {
    if (typeof workflowId !== 'string' || !idPattern.test(workflowId)) throw unknown(workflowId)
    const pending = await find(workflowId)
    if (pending) return pending
    throw (await isAnswered(workflowId)) ? answered(workflowId) : unknown(workflowId)
  }
  async function keyOf(question: Question, operation: Operation): Promise<QuestionKey> {
    return digestOf([await clientId(), question, operation]) as QuestionKey
  }
  /** The very same question, where it can still be answered. */
  async function findOpen(key: QuestionKey): Promise<Approval | undefined> {
    const id = await answers.findOpen(key)
    const pending = id !== undefined && idPattern.test(id) ? await find(id) : undefined
    if (!pending || isLate(pending.approval) || (await isAnswered(pending.approval.workflowId)))
      return undefined
    const isSame = (await keyOf(questionIn(pending.approval), pending.operation)) === key
    return isSame ? pending.approval : undefined
  }

  const printGiven = (given: GivenAnswer) => JSON.stringify({ ...given, answeredAt: now().toISOString() })

  return {
    ask: async (question, operation) => {
      const key = await keyOf(question, operation)
      const said = await answers.find(key)
      if (said?.approved === false) throw saidNo(question, said)
      const open = await findOpen(key)
      if (open) return open
      await requireFolder(folder, 0o700)
      await forgetOld(folder, now().getTime() - 2 * lifetimeMs)
      const workflowId = randomUUID()
      const expiresAt = new Date(now().getTime() + lifetimeMs).toISOString()
      const approval: Approval = { approvalRequired: true, ...question, workflowId, expiresAt }
      const pending: Pending = { version: 1, clientId: await clientId(), approval, operation }
      await writeAtomically(fileOf(workflowId), JSON.stringify(pending), { mode: 0o600 })
      // Without it the next one who asks gets a question of its own, as a person who fetches does.
      if (operation.kind !== 'fetch') await answers.noteOpen(key, workflowId).catch(() => undefined)
      return approval
    },
    show: async (workflowId) => {
      const { approval } = await require(workflowId)
      if (await isAnswered(workflowId)) throw answered(workflowId)
      if (isLate(approval)) throw expired(workflowId, approval.expiresAt)
      return approval
    },
    take: async (workflowId, given, check) => {
      const pending = await require(workflowId)
      const { approval } = pending
      check(approval)
      const isTooLate = isLate(approval)
      if (!isTooLate && !(await claim(answeredOf(workflowId), printGiven(given)))) throw answered(workflowId)
      await rm(fileOf(workflowId), { force: true })
      if (isTooLate) throw expired(workflowId, approval.expiresAt)
      return pending
    },
    keep: async ({ approval, operation }, { approved, proof }) => {
      const { workflowId } = approval
      return answers.put(await keyOf(questionIn(approval), operation), { workflowId, approved, proof })
    },
    isGranted: async (question, operation) =>
      (await answers.find(await keyOf(question, operation)))?.approved === true,
    spend: async (question, operation) => answers.spend(await keyOf(question, operation)),
    list: async () => {
      const files = (await findFolder(folder)) ? await readdir(folder) : []
      const ids = files.flatMap((file) => (file.endsWith('.json') ? file.slice(0, -'.json'.length) : []))
      const found = await Promise.all(ids.filter((id) => idPattern.test(id)).map(find))
      return found.flatMap((pending) => pending?.approval ?? []).filter((approval) => !isLate(approval))
    },
  }
}

function questionIn({ approvalRequired: _yes, workflowId: _id, expiresAt: _at, ...question }: Approval) {
  return question as Question
}

/** Whoever makes the file has the answer; the file system lets only one do so. */
async function claim(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(text).finally(() => file.close())
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw fileError('write', path, error)
  }
}

/** Undefined for what this program did not write. */
function parsePending(bytes: Buffer): Pending | undefined {
  try {
    const value = JSON.parse(bytes.toString('utf8')) as Partial<Pending> | null
    const isWhole =
      value?.version === 1 && typeof value.approval === 'object' && value.operation !== undefined
    return isWhole ? (value as Pending) : undefined
  } catch {
    return undefined
  }
}

/** A person's no. */
export function rejectionOf(question: Question, more = ''): PmlError {
  const { fqdn } = question
  if (question.approvalType !== 'integrity')
    return new PmlError(
      'rejected',
      `Cannot go on with ${fqdn}: a person said no (${question.approvalType})${more}`,
    )
  const { oldIntegrity, newIntegrity } = question
  return new IntegrityError(
    'rejected',
    `Cannot use ${fqdn}: a person rejected the change from ${oldIntegrity} to ${newIntegrity}; the lockfile is as it was${more}`,
    { fqdn, oldIntegrity, newIntegrity },
  )
}

function saidNo(question: Question, { expiresAt }: KeptAnswer): PmlError {
  return rejectionOf(question, `; nobody is asked about it again before ${expiresAt}`)
}

function unknown(id: unknown): PmlError {
  const fix = 'run the command again to be asked again'
  return new PmlError(
    'unknown_workflow',
    `Cannot continue ${String(id).slice(0, 60)}: this workspace knows no such workflow; ${fix}`,
  )
}

function answered(id: string): PmlError {
  return new PmlError('workflow_answered', `Cannot continue ${id}: it has been answered already`)
}

function expired(id: string, at: string): PmlError {
  const fix = 'run the command again to be asked again'
  return new PmlError('workflow_expired', `Cannot continue ${id}: it expired at ${at}; ${fix}`)
}
