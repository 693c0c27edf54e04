import type { AgentName } from '@pml/hooks'
import type { HookSettings } from '@pml/hooks/agents'
import {
  changeSettings,
  type ChangeOptions,
  type SettingsChange,
  type SettingsContext,
} from './change-settings.ts'
import { httpHookFor, openHookFile, type Place } from './hook-files.ts'
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { noteOwnWrite } from '../machine/files/own-writes.ts'
import type { Ops } from '../machine/ops.ts'
import { ownCommand } from '../machine/own-command.ts'

interface InstallOptions extends Place, ChangeOptions {
  /** The registry judges, and not pml on this machine. */
  readonly isHttp: boolean
}

/** Puts pml into the settings of an agent, in the place of what an older version put there. */
export async function installHooks(
  context: SettingsContext,
  request: InstallOptions,
): Promise<SettingsChange> {
  const { agent, scope, isHttp } = request
  const http = isHttp ? httpHookFor(context, agent) : undefined
  const { settings, file, isOfThisMachine, installed } = await openHookFile(context, request)
  const text = installed(http)
  const notes = [
    ...settings.notes,
    ...(scope === 'project' ? userNote(agent, settings) : []),
    ...(http ? ['PML_API_KEY must be set where the agent is started'] : []),
    ...(scope === 'project' && isOfThisMachine ? [pathNote(settings)] : []),
  ]
  const change = await changeSettings(context, file, { ...request, text })
  if (change.result === 'written' && !http) await compileHook(context.ops)
  return { ...change, notes }
}

function userNote(agent: AgentName, { skipsProject }: HookSettings): string[] {
  if (skipsProject === undefined) return []
  return [
    `The agent skips hooks of a project ${skipsProject}; "pml hooks install --agent ${agent} --scope user" holds there too`,
  ]
}

function pathNote({ inProject }: HookSettings): string {
  const note = 'The hook names a path of this machine, so the file is not for others'
  return inProject === undefined ? note : `${note}; add pml to the project, then run this again`
}

/** Takes out of the settings of an agent what some version of pml put there, and nothing else. */
export async function uninstallHooks(
  context: SettingsContext,
  request: Omit<InstallOptions, 'isHttp'>,
): Promise<SettingsChange> {
  const { file, uninstalled } = await openHookFile(context, request)
  return { ...(await changeSettings(context, file, { ...request, text: uninstalled() })), notes: [] }
}

/**
 * Keeps beside the hook what V8 makes of its code, so that no call waits for that. Where it cannot be kept, hooks judge the
 * same and a little later.
 */
async function compileHook({ execPath }: Pick<Ops, 'execPath'>): Promise<void> {
  const bin = dirname(ownCommand())
  await new Promise<void>((done) => void execFile(execPath, [join(bin, 'compile-hook.js')], () => done()))
  await noteCompiled(join(bin, '..', 'bundle', 'hook'))
}

/** So that no hook takes them for what an agent made of pml. */
async function noteCompiled(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => /\.cjs\.v[^/]+$/.test(one))) {
    const file = join(folder, name)
    await noteOwnWrite(file, await readFile(file))
  }
}
