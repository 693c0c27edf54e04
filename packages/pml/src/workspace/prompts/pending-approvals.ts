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

/** A prompt on disk, with the operation that waits for its answer. */
interface Pending {
  readonly version: 1
  /** The workspace that asked; the prompt is void in any other. */
  readonly clientId: string
  readonly approval: Approval
  readonly operation: Operation
}

/** An answer with the proof that a person gave it. */
type GivenAnswer = Pick<KeptAnswer, 'approved' | 'proof'>

export interface PendingApprovals {
  /**
   * Stores the question and gives it a workflow id; an open prompt keeps its own. Throws `rejected` while a stored no to
   * it is valid.
   */
  ask(question: Question, operation: Operation): Promise<Approval>
  /** A prompt that can still be answered; throws the reason otherwise. */
  show(workflowId: string): Promise<Approval>
  /**
   * Takes the prompt that is being answered: one caller gets it, once and in time; it throws the reason otherwise. If
   * `check` throws, the prompt stays open.
   */
  take(workflowId: string, given: GivenAnswer, check: (approval: Approval) => void): Promise<Pending>
  /** Stores the answer to a taken prompt for later callers: a yes for one of them, a no for all. */
  keep(pending: Pending, given: GivenAnswer): Promise<KeptAnswer>
  /** Whether a yes is stored for it. */
  isGranted(question: Question, operation: Operation): Promise<boolean>
  /** Uses up a stored yes. Only one of several processes gets true. */
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
  const printGiven = (given: GivenAnswer) => JSON.stringify({ ...given, answeredAt: now().toISOString() })
  return {
    ask: async (question, operation) => {
      const key = await keyOf(deps, question, operation)
      const said = await answers.find(key)
      if (said?.approved === false) throw saidNo(question, said)
      const open = await findOpen(deps, key)
      if (open) return open
      await requireFolder(folder, 0o700)
      await forgetOld(folder, now().getTime() - 2 * lifetimeMs)
      const workflowId = randomUUID()
      const expiresAt = new Date(now().getTime() + lifetimeMs).toISOString()
      const approval: Approval = { approvalRequired: true, ...question, workflowId, expiresAt }
      const pending: Pending = { version: 1, clientId: await clientId(), approval, operation }
      await writeAtomically(fileOf(deps, workflowId), JSON.stringify(pending), { mode: 0o600 })
      // A fetch always gets a prompt of its own, and so does the next caller if this cannot be noted.
      if (operation.kind !== 'fetch') await answers.noteOpen(key, workflowId).catch(() => undefined)
      return approval
    },
    show: async (workflowId) => {
      const { approval } = await requirePending(deps, workflowId)
      if (await isAnswered(deps, workflowId)) throw answered(workflowId)
      if (isLate(deps, approval)) throw expired(workflowId, approval.expiresAt)
      return approval
    },
    take: async (workflowId, given, check) => {
      const pending = await requirePending(deps, workflowId)
      const { approval } = pending
      check(approval)
      const isTooLate = isLate(deps, approval)
      if (!isTooLate && !(await claim(answeredOf(deps, workflowId), printGiven(given))))
        throw answered(workflowId)
      await rm(fileOf(deps, workflowId), { force: true })
      if (isTooLate) throw expired(workflowId, approval.expiresAt)
      return pending
    },
    keep: async ({ approval, operation }, { approved, proof }) => {
      const { workflowId } = approval
      return answers.put(await keyOf(deps, questionIn(approval), operation), { workflowId, approved, proof })
    },
    isGranted: async (question, operation) =>
      (await answers.find(await keyOf(deps, question, operation)))?.approved === true,
    spend: async (question, operation) => answers.spend(await keyOf(deps, question, operation)),
    list: async () => {
      const files = (await findFolder(folder)) ? await readdir(folder) : []
      const ids = files.flatMap((file) => (file.endsWith('.json') ? file.slice(0, -'.json'.length) : []))
      const found = await Promise.all(ids.filter((id) => idPattern.test(id)).map((id) => find(deps, id)))
      return found.flatMap((pending) => pending?.approval ?? []).filter((approval) => !isLate(deps, approval))
    },
  }
}

function fileOf({ folder }: PendingDeps, id: string): string {
  return join(folder, `${id}.json`)
}

function answeredOf({ folder }: PendingDeps, id: string): string {
  return join(folder, `${id}.answered`)
}

async function isAnswered(deps: PendingDeps, id: string): Promise<boolean> {
  return (await readPlainFile(answeredOf(deps, id), ANSWERED_LIMIT_BYTES)) !== undefined
}

function isLate({ now }: PendingDeps, { expiresAt }: Approval): boolean {
  return Date.parse(expiresAt) <= now().getTime()
}

async function find(deps: PendingDeps, workflowId: string): Promise<Pending | undefined> {
  if (!(await findFolder(deps.folder))) return undefined
  const file = await readPlainFile(fileOf(deps, workflowId), LIMIT_BYTES)
  const pending = file && parsePending(file.bytes)
  const isOurs = pending?.clientId === (await deps.clientId()) && pending.approval.workflowId === workflowId
  return isOurs ? pending : undefined
}

async function requirePending(deps: PendingDeps, workflowId: string): Promise<Pending> {
  if (typeof workflowId !== 'string' || !idPattern.test(workflowId)) throw unknown(workflowId)
  const pending = await find(deps, workflowId)
  if (pending) return pending
  throw (await isAnswered(deps, workflowId)) ? answered(workflowId) : unknown(workflowId)
}

async function keyOf(
  { clientId }: PendingDeps,
  question: Question,
  operation: Operation,
): Promise<QuestionKey> {
  return digestOf([await clientId(), question, operation]) as QuestionKey
}

/** The prompt for exactly this question, if it can still be answered. */
async function findOpen(deps: PendingDeps, key: QuestionKey): Promise<Approval | undefined> {
  const id = await deps.answers.findOpen(key)
  const pending = id !== undefined && idPattern.test(id) ? await find(deps, id) : undefined
  if (!pending || isLate(deps, pending.approval) || (await isAnswered(deps, pending.approval.workflowId)))
    return undefined
  const isSame = (await keyOf(deps, questionIn(pending.approval), pending.operation)) === key
  return isSame ? pending.approval : undefined
}

function questionIn({ approvalRequired: _yes, workflowId: _id, expiresAt: _at, ...question }: Approval) {
  return question as Question
}

/** Claims the answer by creating a file, which only one process can do. */
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

/** Undefined for anything that pml did not write. */
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

/** The error for a person's no. */
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
    `Cannot use ${fqdn}: a person rejected the change from ${oldIntegrity} to ${newIntegrity}; the lockfile is unchanged${more}`,
    { fqdn, oldIntegrity, newIntegrity },
  )
}

function saidNo(question: Question, { expiresAt }: KeptAnswer): PmlError {
  return rejectionOf(question, `; there is no new prompt before ${expiresAt}`)
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
