import { access } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { PmlError } from '@pml/core/errors'
import type { Npm } from './run-npm.ts'

/** What this process knows about where it runs. */
interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly execPath: string
  readonly platform: NodeJS.Platform
}

/** What npm needs to be this user's npm: its settings and the way through proxies. Keys of other programs are not among it. */
const kept =
  /^(?:path|home|user|logname|userprofile|appdata|localappdata|programdata|systemroot|comspec|pathext|tmpdir|temp|tmp|lang|lc_\w+|xdg_(?:config|cache|data)_home|(?:https?|all|no)_proxy|node_extra_ca_certs|node_use_(?:env_proxy|system_ca)|ssl_cert_(?:file|dir)|npm_token|node_auth_token|npm_config_.+)$/i

/** What somebody else's run of npm said about itself, and npm hands on to everything below it. */
const othersOwn =
  /^npm_config_(?:workspaces?|include_workspace_root|package|call|json|dry_run|global|local_prefix)$/i

/** The npm that runs this process, else the one that came with Node, else the one on the path. */
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

/** Windows has only a batch file on the path, which needs a shell; npm's own script stands beside it. */
function scripts({ env, execPath, platform }: Machine): string[] {
  const { npm_execpath: running = '' } = env
  const module = join('node_modules', 'npm', 'bin', 'npm-cli.js')
  const folder = dirname(execPath)
  if (platform !== 'win32') return [...own(running), join(folder, '..', 'lib', module)]
  return [...own(running), join(folder, module), ...onPath({ env }, module)]
}

/** npx, pnpm and yarn set the same variable. */
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
