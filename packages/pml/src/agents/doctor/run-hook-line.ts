import { spawn } from 'node:child_process'
import type { JsonObject } from '@pml/hooks'
import type { Ops } from '../../machine/ops.ts'

interface HookRun {
  /** Undefined if it did not exit by itself. */
  readonly exit: number | undefined
  readonly stderr: string
}

/** Longer than pml takes; as long as agents wait. */
const LIMIT_MS = 30_000
const KEPT_CHARACTERS = 10_000

/** Runs a hook as an agent would: with `sh`, or without a shell if it has separate arguments. */
export function runHookLine(
  { platform, kill }: Pick<Ops, 'platform' | 'kill'>,
  hook: JsonObject,
  { cwd, env, input }: { cwd: string; env: Ops['env']; input: string },
): Promise<HookRun> {
  const [command, args] = wordsOf(hook, platform)
  const child = spawn(command, args, {
    cwd,
    env: { ...env },
    // Its own process group, so that nothing outlives the limit.
    detached: platform !== 'win32',
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, KEPT_CHARACTERS)
  })
  // A program that exits without reading is judged by its exit code.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return new Promise((done) => {
    const limit = setTimeout(() => {
      if (child.pid !== undefined) kill(platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
    }, LIMIT_MS)
    const end = (run: HookRun) => {
      clearTimeout(limit)
      done(run)
    }
    child.on('error', ({ message }) => end({ exit: undefined, stderr: message }))
    child.on('close', (exit) => end({ exit: exit ?? undefined, stderr }))
  })
}

function wordsOf(hook: JsonObject, platform: NodeJS.Platform): [string, readonly string[]] {
  const { command, args, bash, powershell } = hook
  if (Array.isArray(args)) return [String(command), args.map(String)]
  if (platform !== 'win32') return ['sh', ['-c', String(bash ?? command)]]
  if (typeof powershell === 'string') return ['powershell', ['-NoProfile', '-Command', powershell]]
  return ['cmd', ['/d', '/s', '/c', String(command)]]
}
