import { PmlError } from '@pml/core'
import type { FolderTrust, HookedAgent, Scope } from '@pml/hooks/agents'
import type { Ops } from '../../machine/ops.ts'
import { askAgent } from './ask-agent.ts'
import type { HookFinding } from './examine-hooks.ts'
import { readAgentFile } from '../read-agent-file.ts'
import { realPath } from '../real-path.ts'

interface Installed {
  readonly agent: HookedAgent
  readonly root: string
  readonly home: string
  /** The user's folder of the agent. */
  readonly user: string
  /** The files with hooks of pml, by scope. */
  readonly files: ReadonlyMap<Scope, string>
}

/** Checks whether the agent would run the hooks in its settings, as far as that can be found out. */
export async function examineTrust(
  ops: Pick<Ops, 'env' | 'platform' | 'kill'>,
  installed: Installed,
): Promise<HookFinding[]> {
  const { agent, files } = installed
  const { trust } = agent.hooks
  if (trust?.kind === 'asked') return askAgent(ops, trust, { ...installed, name: agent.name })
  const hasUser = files.has('user')
  const below = hasUser ? [] : startedBelow(installed)
  if (trust?.stopsUser) return [folderTrust(trust, ops, installed), ...below]
  if (!files.has('project')) return []
  // Hooks in the user's settings run in any case.
  const soften = ({ level, ...rest }: HookFinding): HookFinding => ({
    ...rest,
    level: hasUser && level !== 'ok' ? 'warning' : level,
  })
  return [...(trust ? [soften(folderTrust(trust, ops, installed))] : []), ...below]
}

function startedBelow({ agent: { name, title, hooks }, root }: Installed): HookFinding[] {
  if (!hooks.settings.isRootOnly) return []
  const message = `${title} loads no hooks of the project when started below ${root}; "pml hooks install --agent ${name} --scope user" covers that too`
  return [{ check: 'subfolders', level: 'warning', message }]
}

function folderTrust(
  { agent, skips, cure, find }: FolderTrust,
  { env }: Pick<Ops, 'env'>,
  { root, home, user }: Installed,
): HookFinding {
  try {
    const { isTrusted, source } = find({ root, home, user, env, read: readAgentFile, realPath })
    return isTrusted
      ? { check: 'trust', level: 'ok', message: `${root} is trusted (${source})` }
      : {
          check: 'trust',
          level: 'error',
          message: `${agent} ${skips} ${root}, which is not trusted: ${cure}`,
        }
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    const message = `It is unknown whether ${agent} trusts ${root}: ${error.message}`
    return { check: 'trust', level: 'unknown', message }
  }
}
