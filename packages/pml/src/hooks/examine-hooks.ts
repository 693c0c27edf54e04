import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PmlError } from '@pml/core'
import type { AgentName } from '@pml/hooks'
import { homeOf } from '../ops.ts'
import type { OwnContext } from '../own-tools.ts'
import { findAgentVersion } from './agent-version.ts'
import { agentSettings, scopes, settingsFileOf, type Scope } from './agent-settings.ts'
import { findSwitches } from './find-switches.ts'
import { openHookFile, type HookFile } from './hook-files.ts'
import { tryHook } from './try-hook.ts'

export interface HookFinding {
  readonly check: string
  /** A warning is no reason to be unwell: it works, but not as well as it could. */
  readonly level: 'ok' | 'warning' | 'error'
  readonly message: string
}

interface Examined {
  readonly agent: AgentName
  readonly scope: Scope
  readonly file: HookFile
}

/** Runs what is really in the settings of an agent, and looks for what keeps it from running. */
export async function examineHooks(
  context: OwnContext,
  { agent, managed }: { agent: AgentName; managed: string },
): Promise<HookFinding[]> {
  const looked = await Promise.all(scopes.map((scope) => open(context, agent, scope)))
  const broken = looked.filter((one): one is HookFinding => 'level' in one)
  const examined = looked.filter((one): one is Examined => 'file' in one && one.file.hooks.length > 0)
  if (examined.length === 0) {
    const message = `There is no hook of pml; run "pml hooks install --agent ${agent}"`
    return [...broken, { check: 'settings', level: 'error', message }]
  }
  const findings = [...broken]
  for (const one of examined) findings.push(...(await examine(context, one)))
  findings.push(...(await examineAgent(context, examined, managed)))
  return findings
}

async function open(context: OwnContext, agent: AgentName, scope: Scope): Promise<Examined | HookFinding> {
  try {
    return { agent, scope, file: await openHookFile(context, { agent, scope }) }
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    return { check: `${scope} settings`, level: 'error', message: error.message }
  }
}

async function examine(context: OwnContext, one: Examined): Promise<HookFinding[]> {
  const { agent, scope, file } = one
  const { hooks } = file
  const { gates } = file.settings
  const missing = gates.filter((gate) => !hooks.some(({ event }) => event === gate))
  const [gate] = gates
  const hook = hooks.find(({ event }) => event === gate)?.hook
  const url = urlIn(file)
  const isSame = file.installed(url === undefined ? undefined : { url }) === file.file.text
  const install = `run "pml hooks install --agent ${agent} --scope ${scope}"`
  const check = `${scope} settings`
  const settings: HookFinding[] = [
    ...(missing.length > 0
      ? [{ check, level: 'error', message: `No hook of pml at ${missing.join(', ')}; ${install}` } as const]
      : []),
    isSame
      ? { check, level: 'ok', message: file.file.path }
      : { check, level: 'warning', message: `${file.file.path} is not what this version writes; ${install}` },
  ]
  const verdicts = hook === undefined ? [] : await tryHook(context, { hook, file })
  const tried = verdicts.map(({ name, problem }): HookFinding => {
    const message = problem ?? 'as it should'
    return { check: `${scope} hook ${name}`, level: problem === undefined ? 'ok' : 'error', message }
  })
  return [...settings, ...tried]
}

async function examineAgent(
  context: OwnContext,
  examined: readonly Examined[],
  managed: string,
): Promise<HookFinding[]> {
  const { ops } = context
  const [first] = examined
  if (first === undefined) return []
  const { agent, file } = first
  const home = homeOf(ops.env)
  const user = settingsFileOf(agentSettings[agent], 'user', { root: file.root, home, env: ops.env })
  const folder = agent === 'copilot' ? dirname(dirname(user.path)) : dirname(user.path)
  const url = examined.map((one) => urlIn(one.file)).find((one) => one !== undefined)
  const switches = await findSwitches(agent, { root: file.root, user: folder, managed }, url)
  const version = await findAgentVersion(ops, agent)
  const isProject = examined.some(({ scope }) => scope === 'project')
  return [
    ...switches.map((message) => ({ check: 'agent settings', level: 'error', message }) as const),
    ...(version === undefined
      ? []
      : [
          {
            check: `${version.program} --version`,
            level: version.isOld ? 'warning' : 'ok',
            message: version.isOld
              ? `${version.found} is older than ${version.version}: ${version.reason}`
              : (version.found ?? 'It is not on PATH, or does not say'),
          } as const,
        ]),
    ...(await examineTrust(agent, { root: file.root, home, isProject })),
  ]
}

async function examineTrust(
  agent: AgentName,
  { root, home, isProject }: { root: string; home: string; isProject: boolean },
): Promise<HookFinding[]> {
  if (agent === 'codex') {
    return [{ check: 'trust', level: 'warning', message: agentSettings.codex.notes.join(' ') }]
  }
  if (agent !== 'claude' || !isProject) return []
  const text = await readFile(join(home, '.claude.json'), 'utf8').catch(() => undefined)
  if (text === undefined || isTrusted(text, root)) return []
  const message = `Claude Code runs no hook of ${root} until its folder is trusted: start claude there once`
  return [{ check: 'trust', level: 'warning', message }]
}

function isTrusted(text: string, root: string): boolean {
  try {
    const { projects } = JSON.parse(text) as {
      projects?: Record<string, { hasTrustDialogAccepted?: boolean } | undefined>
    }
    for (let folder = root; ; folder = dirname(folder)) {
      if (projects?.[folder]?.hasTrustDialogAccepted === true) return true
      if (folder === dirname(folder)) return false
    }
  } catch {
    return false
  }
}

function urlIn({ hooks }: HookFile): string | undefined {
  return hooks.map(({ hook }) => hook['url']).find((url): url is string => typeof url === 'string')
}
