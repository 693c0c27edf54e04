import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PmlError } from '@pml/core'
import type { AgentName, JsonObject } from '@pml/hooks'
import type { OwnContext } from '../own-tools.ts'
import { findAgentVersion } from './agent-version.ts'
import { agentSettings, isOurHook, scopes, settingsFileOf, type Scope } from './agent-settings.ts'
import { listOurs } from './edit-hooks.ts'
import { findSwitches } from './find-switches.ts'
import { openHookFile, type HookFile } from './hook-files.ts'
import { runHook } from './run-hook.ts'
import { writeEventOf } from './write-event.ts'

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
  readonly hooks: readonly { readonly event: string; readonly hook: JsonObject }[]
}

/** Runs what is really in the settings of an agent, and looks for what keeps it from running. */
export async function examineHooks(
  context: OwnContext,
  { agent, managed }: { agent: AgentName; managed: string },
): Promise<HookFinding[]> {
  const looked = await Promise.all(scopes.map((scope) => open(context, agent, scope)))
  const broken = looked.filter((one): one is HookFinding => 'level' in one)
  const examined = looked.filter((one): one is Examined => 'hooks' in one && one.hooks.length > 0)
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
    const file = await openHookFile(context, { agent, scope })
    return { agent, scope, file, hooks: listOurs(file.file.text, file.file.path, isOurHook(agent)) }
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    return { check: `${scope} settings`, level: 'error', message: error.message }
  }
}

async function examine(context: OwnContext, one: Examined): Promise<HookFinding[]> {
  const { agent, scope, file, hooks } = one
  const { gates } = file.settings
  const missing = gates.filter((gate) => !hooks.some(({ event }) => event === gate))
  const [gate] = gates
  const hook = hooks.find(({ event }) => event === gate)?.hook
  const url = urlIn(hooks)
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
  return hook === undefined ? settings : [...settings, ...(await tryOut(context, one, hook))]
}

/** One event that every policy blocks unless it says otherwise, and one that none does. */
const trials = [
  {
    name: 'blocks',
    path: 'workspace/send_telegram.js',
    content: 'await fetch("https://api.telegram.org/bot" + token + "/sendMessage", { method: "POST" })\n',
  },
  { name: 'lets through', path: 'notes.md', content: 'Notes of today\n' },
] as const

async function tryOut(context: OwnContext, { agent, scope, file }: Examined, hook: JsonObject) {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'pml-doctor-')))
  try {
    await mkdir(join(scratch, 'workspace'))
    const findings: HookFinding[] = []
    for (const { name, path, content } of trials) {
      const event = writeEventOf(agent, { cwd: scratch, path, content })
      const problem =
        typeof hook['url'] === 'string'
          ? await findHttpProblem(context, { agent, url: hook['url'], event, isBlock: name === 'blocks' })
          : await findProblem(context, { hook, file, event, isBlock: name === 'blocks' })
      const check = `${scope} hook ${name} ${path}`
      findings.push({
        check,
        level: problem === undefined ? 'ok' : 'error',
        message: problem ?? 'as it should',
      })
    }
    return findings
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

interface Trial {
  readonly hook: JsonObject
  readonly file: HookFile
  readonly event: JsonObject
  readonly isBlock: boolean
}

async function findProblem(
  { ops }: OwnContext,
  { hook, file: { settings, root }, event, isBlock }: Trial,
): Promise<string | undefined> {
  // Nothing that is tried out here is anything that a registry should hear of.
  const { PML_API_KEY: _key, PML_REGISTRY_URL: _url, ...env } = ops.env
  const project = settings.projectVariable === undefined ? {} : { [settings.projectVariable]: root }
  const run = await runHook(ops, hook, {
    cwd: root,
    env: { ...env, ...project },
    input: JSON.stringify(event),
  })
  const said = run.stderr.trim().split('\n', 3).join(' ') || 'nothing on stderr'
  const got = run.exit === undefined ? `it did not end: ${said}` : `exit ${run.exit} with ${said}`
  if (run.stderr.includes('BLOCKED::HOOK_FAILED')) return `pml itself failed: ${said}`
  if (!isBlock) return run.exit === 0 ? undefined : `Expected exit 0, got ${got}`
  const isBlocked = run.exit === 2 && run.stderr.startsWith('BLOCKED::')
  return isBlocked ? undefined : `Expected exit 2 and a reason that begins with BLOCKED::, got ${got}`
}

async function findHttpProblem(
  { client }: OwnContext,
  { agent, url, event, isBlock }: { agent: AgentName; url: string; event: JsonObject; isBlock: boolean },
): Promise<string | undefined> {
  try {
    const { http, registry } = await client()
    const path = `hooks/${agent}`
    if (new URL(path, registry.registry).href !== url) {
      return `It asks ${url}, and PML_REGISTRY_URL is ${registry.registry.href}`
    }
    const headers = { 'content-type': 'application/json' }
    const { status, bytes } = await http.send(path, { method: 'POST', body: JSON.stringify(event), headers })
    if (status !== 200) return `Expected status 200, got ${status}`
    if (bytes.toString('utf8').includes('"deny"') === isBlock) return undefined
    return isBlock ? 'Expected "deny", got an answer without it' : 'Expected an empty answer, got "deny"'
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    return error.message
  }
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
  const home = ops.env['HOME'] || ops.env['USERPROFILE'] || homedir()
  const user = settingsFileOf(agentSettings[agent], 'user', { root: file.root, home, env: ops.env })
  const folder = agent === 'copilot' ? dirname(dirname(user.path)) : dirname(user.path)
  const url = examined.map(({ hooks }) => urlIn(hooks)).find((one) => one !== undefined)
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

function urlIn(hooks: Examined['hooks']): string | undefined {
  return hooks.map(({ hook }) => hook['url']).find((url): url is string => typeof url === 'string')
}
