import { spawn } from 'node:child_process'

/** How to start npm on this machine, and for how long it may run. */
export interface Npm {
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const KEPT = 4000

/** Runs npm in `cwd`, without a shell. Fails with the reason that npm gave. */
export async function runNpm(npm: Npm, args: readonly string[], cwd: string): Promise<void> {
  const signal = AbortSignal.any([npm.signal, AbortSignal.timeout(npm.timeoutMs)])
  const child = spawn(npm.command, [...npm.args, ...args], {
    cwd,
    env: npm.env,
    signal,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(0, KEPT)))
  const code = await new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  )
  if (code !== 0) throw new Error(`npm ${args[0]} exited with ${code}: ${reasonIn(said)}`)
}

/** npm says the reason first, then its usage or how to get support. */
function reasonIn(said: string): string {
  const lines = said.split('\n').map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim())
  const useful = lines.filter((line) => line !== '' && !/^npm warn|complete log|^A complete/i.test(line))
  return useful.slice(0, 4).join('; ') || 'it said nothing'
}
