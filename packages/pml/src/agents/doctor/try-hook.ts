import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PmlError } from '@pml/core'
import type { AgentName, JsonObject } from '@pml/hooks'
import { agentOf } from '@pml/hooks/agents'
import type { ProjectContext } from '../../workspace/workspace-files.ts'
import type { HookFile } from '../hook-files.ts'
import { runHookLine } from './run-hook-line.ts'

/** One event that the built-in policy blocks, and one that no policy blocks. */
const trials = [
  {
    isBlock: true,
    path: 'workspace/send_telegram.js',
    content: 'await fetch("https://api.telegram.org/bot" + token + "/sendMessage", { method: "POST" })\n',
  },
  { isBlock: false, path: 'notes.md', content: 'Notes of today\n' },
] as const

/** What a command that tries hooks takes. */
export interface TrialContext extends ProjectContext {
  readonly signal: AbortSignal
  /** The registry that decides about events over HTTP. */
  registry(): Promise<HookRegistry>
}

interface HookRegistry {
  readonly url: URL
  send(
    path: string,
    request: { method: 'POST'; body: string; headers: Readonly<Record<string, string>> },
  ): Promise<{ readonly status: number; readonly bytes: Buffer }>
}

interface Trial {
  readonly hook: JsonObject
  readonly file: HookFile
}

interface Verdict {
  /** The trial. */
  readonly name: string
  /** Undefined if the hook worked. */
  readonly problem: string | undefined
}

/** Runs a hook on a write to block and a write to let through, in a temporary folder. */
export async function tryHook(context: TrialContext, trial: Trial): Promise<Verdict[]> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'pml-doctor-')))
  try {
    await mkdir(join(scratch, 'workspace'))
    const verdicts: Verdict[] = []
    for (const { isBlock, path, content } of trials) {
      const event = sampleWrite(trial.file.agent, { cwd: scratch, path, content })
      const problem = await findProblem(context, trial, { event, isBlock })
      verdicts.push({ name: `${isBlock ? 'blocks' : 'lets through'} ${path}`, problem })
    }
    return verdicts
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The event that an agent sends before it writes a file. */
export function sampleWrite(
  agent: AgentName,
  { cwd, path, content }: { cwd: string; path: string; content: string },
): JsonObject {
  const file = join(cwd, path)
  return agentOf(agent).hooks.sample({ session: 'pml-hooks-doctor', cwd, path, file, content })
}

interface Expected {
  readonly event: JsonObject
  readonly isBlock: boolean
}

async function findProblem(context: TrialContext, { hook, file }: Trial, expected: Expected) {
  if (typeof hook['url'] === 'string') {
    return findHttpProblem(context, { agent: file.agent, url: hook['url'] }, expected)
  }
  return findLineProblem(context, { hook, file }, expected)
}

/** Runs a hook by its command line in the settings; undefined if it worked. */
export async function findLineProblem(
  { ops }: TrialContext,
  { hook, file: { settings, root } }: Trial,
  { event, isBlock }: Expected,
): Promise<string | undefined> {
  // Trials must not be reported to a registry.
  const { PML_API_KEY: _key, PML_REGISTRY_URL: _url, ...env } = ops.env
  const project = settings.projectVariable === undefined ? {} : { [settings.projectVariable]: root }
  const run = await runHookLine(ops, hook, {
    cwd: root,
    env: { ...env, ...project },
    input: JSON.stringify(event),
  })
  const said = run.stderr.trim().split('\n', 3).join(' ') || 'nothing on stderr'
  const got = run.exit === undefined ? `it did not exit: ${said}` : `exit ${run.exit} with ${said}`
  if (run.stderr.includes('BLOCKED::HOOK_FAILED')) return `pml itself failed: ${said}`
  if (!isBlock) return run.exit === 0 ? undefined : `Expected exit 0, got ${got}`
  const isBlocked = run.exit === 2 && run.stderr.startsWith('BLOCKED::')
  return isBlocked ? undefined : `Expected exit 2 and a reason that starts with BLOCKED::, got ${got}`
}

async function findHttpProblem(
  { registry }: TrialContext,
  { agent, url }: { agent: AgentName; url: string },
  { event, isBlock }: Expected,
): Promise<string | undefined> {
  try {
    const { url: origin, send } = await registry()
    const path = `hooks/${agent}`
    if (new URL(path, origin).href !== url) {
      return `It asks ${url}, and PML_REGISTRY_URL is ${origin.href}`
    }
    const headers = { 'content-type': 'application/json' }
    const { status, bytes } = await send(path, { method: 'POST', body: JSON.stringify(event), headers })
    if (status !== 200) return `Expected status 200, got ${status}`
    if (bytes.toString('utf8').includes('"deny"') === isBlock) return undefined
    return isBlock ? 'Expected "deny", got an answer without it' : 'Expected an empty answer, got "deny"'
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    return error.message
  }
}
