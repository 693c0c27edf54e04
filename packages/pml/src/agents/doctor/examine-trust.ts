import { dirname, join } from 'node:path'
import { PmlError } from '@pml/core'
import { isJsonObject, type AgentName, type JsonObject } from '@pml/hooks'
import type { Ops } from '../../machine/ops.ts'
import type { Scope } from '../agent-settings.ts'
import { examineCodex } from './examine-codex.ts'
import type { HookFinding } from './examine-hooks.ts'
import { readAgentFile } from '../read-agent-file.ts'
import { realPath } from '../real-path.ts'

export interface Installed {
  readonly agent: AgentName
  readonly root: string
  readonly home: string
  /** The agent's own folder of this user. */
  readonly user: string
  /** Where hooks of pml are, by the scope of the file. */
  readonly files: ReadonlyMap<Scope, string>
}

/** Whether the agent would really run the hooks that are in its settings, as far as anybody can find out. */
export async function examineTrust(
  ops: Pick<Ops, 'env' | 'platform' | 'kill'>,
  installed: Installed,
): Promise<HookFinding[]> {
  const { agent, files } = installed
  if (agent === 'codex') return examineCodex(ops, installed)
  const hasUser = files.has('user')
  const below = hasUser ? [] : startedBelow(installed)
  if (agent === 'gemini') return [geminiTrust(ops, installed), ...below]
  if (!files.has('project')) return []
  // What is installed for the user runs in any case.
  const soften = ({ level, ...rest }: HookFinding): HookFinding => ({
    ...rest,
    level: hasUser && level !== 'ok' ? 'warning' : level,
  })
  return [...folderTrust(installed).map(soften), ...below]
}

function startedBelow({ agent, root }: Installed): HookFinding[] {
  const name = { claude: 'Claude Code', gemini: 'Gemini CLI' }[agent as string]
  if (name === undefined) return []
  const message = `${name} loads no hook of the project where it is started below ${root}; "pml hooks install --agent ${agent} --scope user" holds there too`
  return [{ check: 'subfolders', level: 'warning', message }]
}

function folderTrust({ agent, root, home, user }: Installed): HookFinding[] {
  if (agent === 'claude') {
    const how = {
      name: 'Claude Code',
      skips: 'skips the hooks of',
      cure: 'start claude there once and trust the folder',
      root,
    }
    const file = join(home, '.claude.json')
    return [
      tryTrust(how, () => {
        const value = readAgentFile(file)
        if (value) return finding(claudeTrusts(value, root), file, how)
        throw new PmlError('not_found', `there is no ${file}; ${how.cure}`)
      }),
    ]
  }
  if (agent !== 'copilot') return []
  const how = {
    name: 'Copilot',
    skips: 'skips the hooks of',
    cure: 'start copilot there and trust the folder for future sessions, or install with --scope user',
    root,
  }
  const file = join(user, 'config.json')
  return [tryTrust(how, () => finding(copilotTrusts(readAgentFile(file) ?? {}, root), file, how))]
}

/** In a folder that is not trusted it runs no hook, not even those of the user. */
function geminiTrust({ env }: Pick<Ops, 'env'>, { root, user }: Installed): HookFinding {
  const how = {
    name: 'Gemini CLI',
    skips: 'runs no hook in',
    cure: 'start gemini there and trust the folder',
    root,
  }
  if (env['GEMINI_RESTRICTED_MODE'] === 'true') return finding(false, 'GEMINI_RESTRICTED_MODE', how)
  const said = env['GEMINI_CLI_TRUST_WORKSPACE']
  if (said === 'true' || said === 'false') return finding(said === 'true', 'GEMINI_CLI_TRUST_WORKSPACE', how)
  return tryTrust(how, () => {
    const security = readAgentFile(join(user, 'settings.json'))?.['security']
    const folderTrust = isJsonObject(security) ? security['folderTrust'] : undefined
    if (isJsonObject(folderTrust) && folderTrust['enabled'] === false)
      return finding(true, 'security.folderTrust.enabled is false', how)
    const file = env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] || join(user, 'trustedFolders.json')
    return finding(geminiTrusts(readAgentFile(file) ?? {}, root), file, how)
  })
}

interface How {
  readonly name: string
  /** What it does in a folder that it does not trust. */
  readonly skips: string
  /** What the person does about it. */
  readonly cure: string
  readonly root: string
}

function tryTrust({ name, root }: How, find: () => HookFinding): HookFinding {
  try {
    return find()
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    const message = `Nobody knows whether ${name} trusts ${root}: ${error.message}`
    return { check: 'trust', level: 'unknown', message }
  }
}

function finding(isTrusted: boolean, source: string, { name, skips, cure, root }: How): HookFinding {
  if (isTrusted) return { check: 'trust', level: 'ok', message: `${root} is trusted (${source})` }
  return {
    check: 'trust',
    level: 'error',
    message: `${name} ${skips} ${root}, which is not trusted: ${cure}`,
  }
}

function claudeTrusts({ projects }: JsonObject, root: string): boolean {
  return upwards(root).some((folder) => {
    const project = isJsonObject(projects) ? projects[folder] : undefined
    return isJsonObject(project) && project['hasTrustDialogAccepted'] === true
  })
}

function copilotTrusts({ trustedFolders, trusted_folders: older }: JsonObject, root: string): boolean {
  const trusted = [trustedFolders, older].flatMap((list) => (Array.isArray(list) ? list.map(String) : []))
  return upwards(root).some((folder) => trusted.some((one) => realPath(one) === folder))
}

/** Of all rules the longest that holds for the folder. */
function geminiTrusts(rules: JsonObject, root: string): boolean {
  const above = new Set(upwards(root))
  const [, level] = Object.entries(rules)
    .filter(([path, level]) => above.has(realPath(level === 'TRUST_PARENT' ? dirname(path) : path)))
    .reduce((longest, rule) => (rule[0].length > longest[0].length ? rule : longest), ['', undefined] as [
      string,
      unknown,
    ])
  return level === 'TRUST_FOLDER' || level === 'TRUST_PARENT'
}

function upwards(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...upwards(parent)]
}
