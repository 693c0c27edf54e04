import { userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Kill } from './owned-process.ts'

/** The outside world, as far as it is not files and the registry. */
export interface Ops {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly platform: NodeJS.Platform
  /** The Node that runs this, which also runs npm servers. */
  readonly execPath: string
  readonly pid: number
  /** The number of the user; undefined on Windows. */
  readonly user: number | undefined
  /** Where this user's caches are. */
  readonly cacheHome: string
  readonly kill: Kill
  /** Does this at the very end of the process, when nothing can be awaited any more. */
  atExit(work: () => void): void
  now(): Date
  /** A message for the person, beside the results. */
  tell(message: string): void
}

/** The one place of the library that touches `process`. What it says of the environment, it says of `env`. */
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

/** One listener for all clients of a process, and the same work once. */
function doAtExit(work: () => void): void {
  if (lastWork.size === 0) process.once('exit', () => lastWork.forEach((last) => last()))
  lastWork.add(work)
}

/** XDG on Linux, and what users of the other systems expect. */
export function cacheHomeOf(env: Ops['env'], platform: NodeJS.Platform): string {
  if (env['PML_CACHE_DIR']) return env['PML_CACHE_DIR']
  if (env['XDG_CACHE_HOME']?.startsWith('/')) return join(env['XDG_CACHE_HOME'], 'pml')
  if (platform === 'darwin') return join(homeOf(env), 'Library', 'Caches', 'pml')
  if (platform === 'win32' && env['LOCALAPPDATA']) return join(env['LOCALAPPDATA'], 'pml', 'cache')
  return join(homeOf(env), '.cache', 'pml')
}

/** The same for what a person writes. */
export function configHomeOf(env: Ops['env'], platform: NodeJS.Platform): string {
  if (env['XDG_CONFIG_HOME']?.startsWith('/')) return join(env['XDG_CONFIG_HOME'], 'pml')
  if (platform === 'darwin') return join(homeOf(env), 'Library', 'Application Support', 'pml')
  if (platform === 'win32' && env['APPDATA']) return join(env['APPDATA'], 'pml')
  return join(homeOf(env), '.config', 'pml')
}

/** The same for what is kept from one run to the next and is no cache. */
export function stateHomeOf(env: Ops['env'], platform: NodeJS.Platform): string {
  if (env['XDG_STATE_HOME']?.startsWith('/')) return join(env['XDG_STATE_HOME'], 'pml')
  if (platform === 'darwin') return join(homeOf(env), 'Library', 'Application Support', 'pml', 'state')
  if (platform === 'win32' && env['LOCALAPPDATA']) return join(env['LOCALAPPDATA'], 'pml', 'state')
  return join(homeOf(env), '.local', 'state', 'pml')
}

/** One that is empty or relative would be below the folder that somebody happens to work in, which may be anybody's. */
export function homeOf(env: Ops['env']): string {
  const named = [env['HOME'], env['USERPROFILE']].find((home) => home !== undefined && isAbsolute(home))
  return named ?? userInfo().homedir
}
