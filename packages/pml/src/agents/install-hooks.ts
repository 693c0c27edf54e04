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
  /** The registry decides instead of pml on this machine. */
  readonly isHttp: boolean
}

/** Adds pml's hooks to the settings of an agent, or replaces those of an older version. */
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
    `The agent skips hooks of a project ${skipsProject}; "pml hooks install --agent ${agent} --scope user" covers that too`,
  ]
}

function pathNote({ inProject }: HookSettings): string {
  const note = 'The hook has a path of this machine, so do not share the file'
  return inProject === undefined ? note : `${note}; add pml to the project, then run this again`
}

/** Removes the hooks of any version of pml from the settings of an agent, and nothing else. */
export async function uninstallHooks(
  context: SettingsContext,
  request: Omit<InstallOptions, 'isHttp'>,
): Promise<SettingsChange> {
  const { file, uninstalled } = await openHookFile(context, request)
  return { ...(await changeSettings(context, file, { ...request, text: uninstalled() })), notes: [] }
}

/**
 * Stores V8's compiled code beside the hook, so that no call waits for compilation. Without it hooks work the same, a little
 * slower.
 */
async function compileHook({ execPath }: Pick<Ops, 'execPath'>): Promise<void> {
  const bin = dirname(ownCommand())
  await new Promise<void>((done) => void execFile(execPath, [join(bin, 'compile-hook.js')], () => done()))
  await noteCompiled(join(bin, '..', 'bundle', 'hook'))
}

/** Records the files as pml's own, so that the hook does not take them for tampering. */
async function noteCompiled(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => /\.cjs\.v[^/]+$/.test(one))) {
    const file = join(folder, name)
    await noteOwnWrite(file, await readFile(file))
  }
}
