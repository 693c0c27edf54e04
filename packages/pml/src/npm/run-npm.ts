import { startLimit } from '../machine/limit.ts'
import { OwnedProcess, type Kill } from '../machine/owned-process.ts'
import { access } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { PmlError } from '@pml/core/errors'

/** How to start npm on this machine. */
export interface Npm {
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
}

interface NpmRun {
  readonly cwd: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly kill: Kill
}

/** Why npm failed: its error code, such as `E404`, and its message. */
export interface NpmFailure {
  readonly code: string
  readonly reason: string
}

const KEPT_CHARACTERS = 64 * 1024

/**
 * Runs npm without a shell and leaves none of its processes. Returns the failure, if any: a code of npm or of the system
 * (`ENOENT` if there is no npm), or `CANCELLED` or `TIMEOUT`.
 */
export async function runNpm(
  npm: Npm,
  args: readonly string[],
  { cwd, signal, timeoutMs, kill }: NpmRun,
): Promise<NpmFailure | undefined> {
  const limit = startLimit(signal, timeoutMs)
  const owned = new OwnedProcess({ ...npm, args: [...npm.args, ...args, '--json'], cwd }, kill)
  const { child } = owned
  const endIt = () => void owned.end(0)
  limit.signal.addEventListener('abort', endIt, { once: true })
  const [printed, said] = [keepText(child.stdout), keepText(child.stderr)]
  try {
    await owned.started()
    child.stdin.on('error', () => {}).end()
    if (limit.signal.aborted) endIt()
    const { code } = await owned.exited
    const texts = await Promise.all([printed, said])
    await owned.end(0)
    if (limit.ending !== undefined) return endedHere(limit.ending, timeoutMs)
    return code === 0 ? undefined : failureIn(...texts)
  } catch (error) {
    const { code = 'UNKNOWN', message } = error as NodeJS.ErrnoException
    return { code, reason: message }
  } finally {
    limit.clear()
  }
}

function keepText(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  stream.setEncoding('utf8').on('data', (more: string) => (text = (text + more).slice(0, KEPT_CHARACTERS)))
  return new Promise((resolve) => stream.once('close', () => resolve(text)))
}

function endedHere(ending: 'cancelled' | 'timeout', timeoutMs: number): NpmFailure {
  if (ending === 'cancelled') return { code: 'CANCELLED', reason: 'it was cancelled' }
  return { code: 'TIMEOUT', reason: `npm did not finish within ${timeoutMs} ms` }
}

/** With --json npm prints `{error: {code, summary, detail}}`, or only text if it fails early. */
function failureIn(printed: string, said: string): NpmFailure {
  const { code, summary } = findError(printed) ?? {}
  const words = usefulLines(said)
  return {
    code: code ?? /\bcode (E\w+)/.exec(said)?.[1] ?? 'UNKNOWN',
    reason: usefulLines(summary ?? '')[0] ?? words[0] ?? 'it said nothing',
  }
}

function findError(printed: string): { code?: string; summary?: string } | undefined {
  try {
    const { error } = JSON.parse(printed.slice(printed.indexOf('{'))) as { error?: object }
    return error
  } catch {
    return undefined
  }
}

function usefulLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim())
  return lines.filter((line) => line !== '' && !/^npm warn|^code E|complete log/i.test(line))
}

/** The environment of this process. */
interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly execPath: string
  readonly platform: NodeJS.Platform
}

/** Variables that npm needs: the user's npm settings and proxies. Keys of other programs are left out. */
const kept =
  /^(?:path|home|user|logname|userprofile|appdata|localappdata|programdata|systemroot|comspec|pathext|tmpdir|temp|tmp|lang|lc_\w+|xdg_(?:config|cache|data)_home|(?:https?|all|no)_proxy|node_extra_ca_certs|node_use_(?:env_proxy|system_ca)|ssl_cert_(?:file|dir)|npm_token|node_auth_token|npm_config_.+)$/i

/** Settings of an npm that runs pml, which npm passes on to its child processes. */
const othersOwn =
  /^npm_config_(?:workspaces?|include_workspace_root|package|call|json|dry_run|global|local_prefix)$/i

/** The npm that runs this process, else the one installed with Node, else the one on PATH. */
export async function findNpm(machine: Machine): Promise<Npm> {
  const env = npmEnvironment(machine.env)
  for (const script of scripts(machine))
    if (await exists(script)) return { command: machine.execPath, args: [script], env }
  for (const command of machine.platform === 'win32' ? [] : onPath(machine, 'npm'))
    if (await exists(command)) return { command, args: [], env }
  throw new PmlError('install_failed', 'Cannot find npm: install Node.js with npm, or put npm on the PATH')
}

function npmEnvironment(env: Machine['env']): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && kept.test(name) && !othersOwn.test(name) ? [[name, value] as const] : [],
  )
  return Object.fromEntries(entries)
}

/** On Windows PATH has only a batch file, which needs a shell; npm's own script is beside it. */
function scripts({ env, execPath, platform }: Machine): string[] {
  const { npm_execpath: running = '' } = env
  const module = join('node_modules', 'npm', 'bin', 'npm-cli.js')
  const folder = dirname(execPath)
  if (platform !== 'win32') return [...own(running), join(folder, '..', 'lib', module)]
  return [...own(running), join(folder, module), ...onPath({ env }, module)]
}

/** Only npm's own script: npx, pnpm and yarn set the same variable. */
function own(script: string): string[] {
  return /[/\\]npm-cli\.c?js$/.test(script) ? [script] : []
}

function onPath({ env }: Pick<Machine, 'env'>, name: string): string[] {
  const path = env.PATH ?? env.Path ?? ''
  return path.split(delimiter).flatMap((folder) => (folder === '' ? [] : [join(folder, name)]))
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
