import { randomUUID } from 'node:crypto'
import { lstat, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PmlError } from '@pml/core'
import { fileError } from '../files/file-error.ts'
import { readPlainFile } from '../files/read-plain-file.ts'
import { writeAtomically } from '../files/write-atomically.ts'
import { findFolder, requireFolder } from '../workspace/workspace-files.ts'
import type { Approval, Operation, Question } from './approval.ts'

/** A question and what waits for its answer, as it is kept on disk. */
export interface Pending {
  readonly version: 1
  /** Of the workspace that asked; in another one it means nothing. */
  readonly clientId: string
  readonly approval: Approval
  readonly operation: Operation
}

export interface PendingApprovals {
  /** Keeps the question and gives it a workflow. */
  ask(question: Question, operation: Operation): Promise<Approval>
  /**
   * The question that is answered now: one caller gets it, once, in time. Others are told why they do not. An answer
   * that `check` throws at leaves the question open.
   */
  take(workflowId: string, check: (approval: Approval) => void): Promise<Pending>
  list(): Promise<Approval[]>
}

export interface PendingDeps {
  readonly folder: string
  readonly lifetimeMs: number
  clientId(): Promise<string>
  now(): Date
}

const LIMIT_BYTES = 64 * 1024 * 1024
const MOST = 1000
const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export function openPendingApprovals({ folder, lifetimeMs, clientId, now }: PendingDeps): PendingApprovals {
  const fileOf = (id: string) => join(folder, `${id}.json`)
  const answeredOf = (id: string) => join(folder, `${id}.answered`)

  async function find(workflowId: string): Promise<Pending | undefined> {
    if (!(await findFolder(folder))) return undefined
    const file = await readPlainFile(fileOf(workflowId), LIMIT_BYTES)
    const pending = file && parsePending(file.bytes)
    const isOurs = pending?.clientId === (await clientId()) && pending.approval.workflowId === workflowId
    return isOurs ? pending : undefined
  }

  return {
    ask: async (question, operation) => {
      await requireFolder(folder, 0o700)
      await forgetOld(folder, now().getTime() - 2 * lifetimeMs)
      const workflowId = randomUUID()
      const expiresAt = new Date(now().getTime() + lifetimeMs).toISOString()
      const approval: Approval = { approvalRequired: true, ...question, workflowId, expiresAt }
      const pending: Pending = { version: 1, clientId: await clientId(), approval, operation }
      await writeAtomically(fileOf(workflowId), JSON.stringify(pending), { mode: 0o600 })
      return approval
    },
    take: async (workflowId, check) => {
      if (typeof workflowId !== 'string' || !idPattern.test(workflowId)) throw unknown(workflowId)
      const pending = await find(workflowId)
      if (!pending)
        throw (await readPlainFile(answeredOf(workflowId), 0)) ? answered(workflowId) : unknown(workflowId)
      check(pending.approval)
      const isLate = Date.parse(pending.approval.expiresAt) <= now().getTime()
      if (!isLate && !(await claim(answeredOf(workflowId)))) throw answered(workflowId)
      await rm(fileOf(workflowId), { force: true })
      if (isLate) throw expired(workflowId, pending.approval.expiresAt)
      return pending
    },
    list: async () => {
      const files = (await findFolder(folder)) ? await readdir(folder) : []
      const ids = files.flatMap((file) => (file.endsWith('.json') ? file.slice(0, -'.json'.length) : []))
      const found = await Promise.all(ids.filter((id) => idPattern.test(id)).map(find))
      return found
        .flatMap((pending) => pending?.approval ?? [])
        .filter(({ expiresAt }) => Date.parse(expiresAt) > now().getTime())
    },
  }
}

/** Whoever makes the file has the answer; the file system lets only one do so. */
async function claim(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw fileError('write', path, error)
  }
}

/**
 * Questions hold arguments: they are not kept longer than they are good for. Nor are there ever more than a person could look
 * through, however often an agent tries again.
 */
async function forgetOld(folder: string, before: number): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name))
  const found = await Promise.all(paths.map(async (path) => ({ path, at: await writtenAt(path) })))
  const newestFirst = found.toSorted((a, b) => b.at - a.at)
  const old = newestFirst.filter(({ at }, index) => at < before || index >= MOST - 1)
  await Promise.all(old.map(({ path }) => rm(path, { force: true })))
}

/** Another process may have taken it away by now. */
async function writtenAt(path: string): Promise<number> {
  return lstat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
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

function unknown(id: unknown): PmlError {
  const fix = 'run the command again to be asked anew'
  return new PmlError(
    'unknown_workflow',
    `Cannot continue ${String(id).slice(0, 60)}: this workspace knows no such workflow; ${fix}`,
  )
}

function answered(id: string): PmlError {
  return new PmlError('workflow_answered', `Cannot continue ${id}: it has been answered already`)
}

function expired(id: string, at: string): PmlError {
  const fix = 'run the command again to be asked anew'
  return new PmlError('workflow_expired', `Cannot continue ${id}: it expired at ${at}; ${fix}`)
}
