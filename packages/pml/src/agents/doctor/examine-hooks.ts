import { PmlError } from '@pml/core'
import type { AgentName, JsonObject } from '@pml/hooks'
import { agentOf, scopes, type HttpHook, type Scope } from '@pml/hooks/agents'
import { homeOf } from '../../machine/ops.ts'
import { findAgentVersion } from './agent-version.ts'
import { agentFolderOf } from '../agent-folder.ts'
import { examineTrust } from './examine-trust.ts'
import { findAnsweringHooks, findSwitches } from './find-switches.ts'
import { openHookFile, type HookFile } from '../hook-files.ts'
import { tryHook, type TrialContext } from './try-hook.ts'

export interface HookFinding {
  readonly check: string
  /** Only errors make the doctor fail. A warning works but could be better; unknown counts as a warning. */
  readonly level: 'ok' | 'warning' | 'unknown' | 'error'
  readonly message: string
}

interface Examined {
  readonly agent: AgentName
  readonly scope: Scope
  readonly file: HookFile
}

/** Options of a live call of the agent. */
interface Live {
  readonly timeoutMs: number
}

/** Runs the hooks in the settings of an agent, and looks for settings that would keep them from running. */
export async function examineHooks(
  context: TrialContext,
  { agent, managed, live }: { agent: AgentName; managed: string; live: Live | undefined },
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
  if (live === undefined) return findings
  const { tryLive } = await import('./try-live.ts')
  const hooked = examined.flatMap(({ file }) => {
    const hook = writeHookIn(file)
    return hook === undefined ? [] : [{ file, hook }]
  })
  return [...findings, await tryLive(context, { agent, hooked, managed, ...live })]
}

async function open(context: TrialContext, agent: AgentName, scope: Scope): Promise<Examined | HookFinding> {
  try {
    return { agent, scope, file: await openHookFile(context, { agent, scope }) }
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    return { check: `${scope} settings`, level: 'error', message: error.message }
  }
}

async function examine(context: TrialContext, one: Examined): Promise<HookFinding[]> {
  const { agent, scope, file } = one
  const { gates, after } = file.settings
  const hook = writeHookIn(file)
  const url = urlIn(file)
  const http = url === undefined ? undefined : { url }
  const missing = findMissing(file, http)
  const install = `run "pml hooks install --agent ${agent} --scope ${scope}"`
  const check = `${scope} settings`
  const says = (events: readonly string[], message: (names: string) => string): HookFinding[] => {
    const names = events.filter((event) => missing.includes(event))
    return names.length === 0 ? [] : [{ check, level: 'error', message: message(names.join(', ')) }]
  }
  const settings: HookFinding[] = [
    ...says(gates, (names) => `No hook of pml for all calls at ${names}; ${install}`),
    ...says(
      after,
      (names) => `No hook of pml at ${names}: changes of a call are not checked afterwards; ${install}`,
    ),
    file.installed(http) === file.file.text
      ? { check, level: 'ok', message: file.file.path }
      : {
          check,
          // A changed program may do anything.
          level: file.settings.program ? 'error' : 'warning',
          message: `${file.file.path} differs from what this version writes; ${install}`,
        },
  ]
  const verdicts = hook === undefined ? [] : await tryHook(context, { hook, file })
  const tried = verdicts.map(({ name, problem }): HookFinding => {
    const message = problem ?? 'works'
    return { check: `${scope} hook ${name}`, level: problem === undefined ? 'ok' : 'error', message }
  })
  return [...settings, ...tried]
}

/** Events without a hook of pml, or with one that does not cover all calls. */
function findMissing({ hooks, wanted }: HookFile, http: HttpHook | undefined): string[] {
  const isAsked = ([event, { matcher }]: readonly [string, JsonObject]) =>
    hooks.some(
      (one) =>
        one.event === event &&
        [undefined, '', '*', '.*', matcher].includes(one.matcher as string | undefined) &&
        one.hook['if'] === undefined &&
        one.hook['async'] !== true,
    )
  return [...wanted(http).entries].filter((entry) => !isAsked(entry)).map(([event]) => event)
}

async function examineAgent(
  context: TrialContext,
  examined: readonly Examined[],
  managed: string,
): Promise<HookFinding[]> {
  const { ops } = context
  const [first] = examined
  if (first === undefined) return []
  const { file } = first
  const agent = agentOf(first.agent)
  const home = homeOf(ops.env)
  const { folder } = agentFolderOf(agent, { home, env: ops.env })
  const url = examined.map((one) => urlIn(one.file)).find((one) => one !== undefined)
  const levels = { root: file.root, user: folder, managed, url }
  const switches = await findSwitches(agent, levels)
  const answering = await findAnsweringHooks(agent, levels)
  const version = await findAgentVersion(ops, agent)
  const files = new Map(examined.map((one) => [one.scope, one.file.file.path]))
  return [
    ...switches.map((one) => ({ check: 'agent settings', ...one })),
    ...answering.map((message) => ({ check: 'agent settings', level: 'error', message }) as const),
    ...(version === undefined
      ? []
      : [
          {
            check: `${version.program} --version`,
            level: version.isOld ? 'warning' : version.found === undefined ? 'unknown' : 'ok',
            message: version.isOld
              ? `${version.found} is older than ${version.version}: ${version.reason}`
              : (version.found ??
                `It is not on PATH or prints no version; expected ${version.version} or later`),
          } as const,
        ]),
    ...(await examineTrust(ops, { agent, root: file.root, home, user: folder, files })),
  ]
}

/** The hook that runs before a file is written. */
function writeHookIn({ hooks, settings: { gates } }: HookFile): JsonObject | undefined {
  return hooks.find(({ event }) => event === gates[0])?.hook
}

function urlIn({ hooks }: HookFile): string | undefined {
  return hooks.map(({ hook }) => hook['url']).find((url): url is string => typeof url === 'string')
}
