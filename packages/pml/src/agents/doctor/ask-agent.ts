import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { JsonObject } from '@pml/hooks'
import { isOurHook, type AskedTrust, type Scope } from '@pml/hooks/agents'
import type { Ops } from '../../machine/ops.ts'
import type { HookFinding } from './examine-hooks.ts'
import { realPath } from '../real-path.ts'

/** Whether an agent runs the hooks in these files, as it reports itself. */
export async function askAgent(
  ops: Pick<Ops, 'env' | 'platform' | 'kill'>,
  trust: AskedTrust,
  {
    name,
    root,
    files,
  }: { readonly name: string; readonly root: string; readonly files: ReadonlyMap<Scope, string> },
): Promise<HookFinding[]> {
  const listed = await listHooks(ops, trust, root)
  if (typeof listed === 'string') {
    const message = `It is unknown whether ${trust.agent} runs the hook: ${listed}; ${trust.cure}`
    return [{ check: 'trust', level: 'unknown', message }]
  }
  const isOurs = isOurHook(name)
  const findings = [...files].map(([scope, file]): HookFinding => {
    const ours = listed.filter(
      (hook) => isOurs(hook) && realPath(String(hook['sourcePath'])) === realPath(file),
    )
    return { check: `${scope} trust`, ...trust.judge(ours, { root, file }) }
  })
  const runs = findings.some(({ level }) => level === 'ok')
  return findings.map((one) => (runs && one.level === 'error' ? { ...one, level: 'warning' } : one))
}

/** An agent may take seconds to start. */
const LIMIT_MS = 30_000
const LONGEST_LINE = 4 * 1024 * 1024

/** The hooks that the agent lists for a folder, or a sentence about why it does not. */
function listHooks(
  { env, platform, kill }: Pick<Ops, 'env' | 'platform' | 'kill'>,
  { program, args, questions, readAnswer }: AskedTrust,
  root: string,
): Promise<readonly JsonObject[] | string> {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...env },
    detached: platform !== 'win32',
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const line = `"${[program, ...args].join(' ')}"`
  child.stdin.on('error', () => undefined)
  let limit: NodeJS.Timeout | undefined
  return new Promise<readonly JsonObject[] | string>((done) => {
    limit = setTimeout(() => done(`${line} did not respond within ${LIMIT_MS / 1000} s`), LIMIT_MS)
    child.on('error', () => done(`${program} is not on PATH`))
    child.on('close', () => done(`${line} exited without a response`))
    createInterface({ input: child.stdout }).on('line', (answer) => {
      const hooks = answer.length > LONGEST_LINE ? undefined : readAnswer(answer)
      if (hooks !== undefined) done(hooks)
    })
    for (const question of questions(root)) child.stdin.write(`${JSON.stringify(question)}\n`)
  }).finally(() => {
    clearTimeout(limit)
    child.removeAllListeners('close')
    child.stdout.destroy()
    child.unref()
    if (child.pid === undefined) return
    try {
      kill(platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
    } catch {
      // It has exited.
    }
  })
}
