import { userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Kill } from './owned-process.ts'

/** The outside world apart from files and the registry. */
export interface Ops {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly platform: NodeJS.Platform
  /** The Node that runs this, which also runs npm servers. */
  readonly execPath: string
  readonly pid: number
  /** The user id; undefined on Windows. */
  readonly user: number | undefined
  /** Where this user's caches are. */
  readonly cacheHome: string
  readonly kill: Kill
  /** Registers work for the exit of the process, when nothing can be awaited. */
  atExit(work: () => void): void
  now(): Date
  /** Prints a message for the person, apart from the results. */
  tell(message: string): void
}

/** The only place in the library that reads `process`. `env` replaces its environment. */
export function processOps(env: Ops['env'] = process.env): Ops {
  const { platform, execPath } = process
  return {
    env,
    cwd: process.cwd(),
    platform,
    execPath,
    pid: process.pid,
    user: process.getuid?.(),
    cacheHome: cacheHomeOf(env, platform),
    kill: (pid, signal) => process.kill(pid, signal),
    atExit: doAtExit,
    now: () => new Date(),
    tell: (message) => void process.stderr.write(`${message}\n`),
  }
}

const lastWork = new Set<() => void>()

/** Adds one exit listener for all clients, and each function once. */
function doAtExit(work: () => void): void {
  if (lastWork.size === 0) process.once('exit', () => lastWork.forEach((last) => last()))
  lastWork.add(work)
}

/** The cache folder: XDG on Linux, the usual place on other systems. */
export function cacheHomeOf(env: Ops['env'], platform: NodeJS.Platform): string {
  if (env['PML_CACHE_DIR']) return env['PML_CACHE_DIR']
  if (env['XDG_CACHE_HOME']?.startsWith('/')) return join(env['XDG_CACHE_HOME'], 'pml')
  if (platform === 'darwin') return join(homeOf(env), 'Library', 'Caches', 'pml')
  if (platform === 'win32' && env['LOCALAPPDATA']) return join(env['LOCALAPPDATA'], 'pml', 'cache')
  return join(homeOf(env), '.cache', 'pml')
}

/** The same for configuration. */
export function configHomeOf(env: Ops['env'], platform: NodeJS.Platform): string {
  if (env['XDG_CONFIG_HOME']?.startsWith('/')) return join(env['XDG_CONFIG_HOME'], 'pml')
  if (platform === 'darwin') return join(homeOf(env), 'Library', 'Application Support', 'pml')
  if (platform === 'win32' && env['APPDATA']) return join(env['APPDATA'], 'pml')
  return join(homeOf(env), '.config', 'pml')
}

/** The same for state that must survive. */
export function stateHomeOf(env: Ops['env'], platform: NodeJS.Platform): string {
  if (env['XDG_STATE_HOME']?.startsWith('/')) return join(env['XDG_STATE_HOME'], 'pml')
  if (platform === 'darwin') return join(homeOf(env), 'Library', 'Application Support', 'pml', 'state')
  if (platform === 'win32' && env['LOCALAPPDATA']) return join(env['LOCALAPPDATA'], 'pml', 'state')
  return join(homeOf(env), '.local', 'state', 'pml')
}

/** Ignores an empty or relative HOME: it would depend on the working directory, which may be anybody's. */
export function homeOf(env: Ops['env']): string {
  const named = [env['HOME'], env['USERPROFILE']].find((home) => home !== undefined && isAbsolute(home))
  return named ?? userInfo().homedir
}
