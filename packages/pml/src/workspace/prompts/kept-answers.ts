import { createHash, randomUUID } from 'node:crypto'
import { rename, rm, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileError } from '../../machine/files/file-error.ts'
import { readPlainFile } from '../../machine/files/read-plain-file.ts'
import { writeAtomically } from '../../machine/files/write-atomically.ts'
import { stateHomeOf, type Ops } from '../../machine/ops.ts'
import type { Proof } from '../../machine/person/proof.ts'
import { findFolder, requireFolder, type WorkspaceFiles } from '../workspace-files.ts'

/** A digest of a question and of the operation that waits for the answer. */
export type QuestionKey = string & { readonly [questionKey]: true }
declare const questionKey: unique symbol

/** A person's answer, stored until the same call is made again. */
export interface KeptAnswer {
  readonly version: 1
  readonly workflowId: string
  readonly approved: boolean
  /** RFC 3339. */
  readonly expiresAt: string
  readonly proof: Proof
}

export interface KeptAnswers {
  /** Records the workflow of an open prompt. */
  noteOpen(key: QuestionKey, workflowId: string): Promise<void>
  findOpen(key: QuestionKey): Promise<string | undefined>
  put(key: QuestionKey, answer: Pick<KeptAnswer, 'workflowId' | 'approved' | 'proof'>): Promise<KeptAnswer>
  /** An answer that has not expired. */
  find(key: QuestionKey): Promise<KeptAnswer | undefined>
  /** Uses up a yes. Only one of several processes gets true. */
  spend(key: QuestionKey): Promise<boolean>
}

interface KeptAnswersDeps {
  readonly folder: string
  readonly lifetimeMs: number
  now(): Date
}

const LIMIT_BYTES = 4096

/** In the person's state folder and not in the workspace: a repository could bring its own answers. */
export function answersFolderOf(
  { root }: Pick<WorkspaceFiles, 'root'>,
  { env, platform }: Pick<Ops, 'env' | 'platform'>,
): string {
  const workspace = createHash('sha256').update(root).digest('hex')
  return join(stateHomeOf(env, platform), 'answers', workspace)
}

/** A digest of JSON that ignores the order of members. */
export function digestOf(value: unknown): string {
  const text = JSON.stringify(value, (_name, part: unknown) => (isObject(part) ? sorted(part) : part))
  return createHash('sha256').update(text).digest('hex')
}

export function openKeptAnswers({ folder, lifetimeMs, now }: KeptAnswersDeps): KeptAnswers {
  const openOf = (key: QuestionKey) => join(folder, `${key}.open`)
  const answerOf = (key: QuestionKey) => join(folder, `${key}.answer`)

  async function write(path: string, text: string): Promise<void> {
    await requireFolder(folder, 0o700)
    await forgetOld(folder, now().getTime() - 2 * lifetimeMs)
    await writeAtomically(path, text, { mode: 0o600 })
  }
  async function read(path: string): Promise<string | undefined> {
    if (!(await findFolder(folder))) return undefined
    return (await readPlainFile(path, LIMIT_BYTES))?.bytes.toString('utf8')
  }
  async function readAnswer(path: string): Promise<KeptAnswer | undefined> {
    const answer = parseAnswer((await read(path)) ?? '')
    const leftMs = answer ? Date.parse(answer.expiresAt) - now().getTime() : 0
    // An answer with a longer lifetime was not written under these settings.
    return leftMs > 0 && leftMs <= lifetimeMs ? answer : undefined
  }

  return {
    noteOpen: (key, workflowId) => write(openOf(key), workflowId),
    findOpen: (key) => read(openOf(key)),
    put: async (key, { workflowId, approved, proof }) => {
      const expiresAt = new Date(now().getTime() + lifetimeMs).toISOString()
      const answer: KeptAnswer = { version: 1, workflowId, approved, expiresAt, proof }
      await write(answerOf(key), JSON.stringify(answer))
      return answer
    },
    find: (key) => readAnswer(answerOf(key)),
    spend: async (key) => {
      // Only one process can rename the file, and it reads the file after that.
      const own = join(folder, `${key}.${randomUUID()}.spent`)
      if (!(await take(answerOf(key), own))) return false
      const answer = await readAnswer(own)
      if (answer?.approved === false) await rename(own, answerOf(key))
      await rm(own, { force: true })
      return answer?.approved === true
    },
  }
}

/** Returns false if the file is gone. */
async function take(path: string, to: string): Promise<boolean> {
  try {
    await rename(path, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw fileError('write', path, error)
  }
}

/** Undefined for anything that pml did not write. */
function parseAnswer(text: string): KeptAnswer | undefined {
  try {
    const value = JSON.parse(text) as Partial<KeptAnswer> | null
    const isWhole = value?.version === 1 && typeof value.approved === 'boolean'
    return isWhole && typeof value.expiresAt === 'string' ? (value as KeptAnswer) : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const MOST = 1000

/**
 * Removes expired prompts, since they contain arguments, and the oldest of too many: an agent may try again and again.
 * A person could not look through more.
 */
export async function forgetOld(folder: string, before: number): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name))
  const found = await Promise.all(paths.map(async (path) => ({ path, at: await writtenAt(path) })))
  const newestFirst = found.toSorted((a, b) => b.at - a.at)
  const old = newestFirst.filter(({ at }, index) => at < before || index >= MOST - 1)
  await Promise.all(old.map(({ path }) => rm(path, { force: true })))
}

/** Another process may have removed it. */
async function writtenAt(path: string): Promise<number> {
  return lstat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}
