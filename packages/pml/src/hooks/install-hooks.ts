import { PmlError } from '@pml/core'
import type { OwnContext } from '../own-tools.ts'
import type { AgentSettings } from './agent-settings.ts'
import { compileHook } from './compile-hook.ts'
import { httpHookFor, openHookFile, printChange, type Place } from './hook-files.ts'

export interface HookChange {
  readonly file: string
  readonly result: 'written' | 'removed' | 'unchanged' | 'declined' | 'not written'
  /** What changed or would change. */
  readonly diff: string
  readonly notes: readonly string[]
}

interface InstallWish extends Place {
  /** The registry judges, and not pml on this machine. */
  readonly isHttp: boolean
  readonly isDryRun: boolean
  /** Nobody need be asked. */
  readonly isSure: boolean
}

/** Puts pml into the settings of an agent, in the place of what an older version put there. */
export async function installHooks(context: OwnContext, wish: InstallWish): Promise<HookChange> {
  const { agent, scope, isHttp } = wish
  const http = isHttp ? httpHookFor(context, agent) : undefined
  const { settings, file, isOfThisMachine, installed } = await openHookFile(context, wish)
  const text = installed(http)
  const notes = [
    ...settings.notes,
    ...(http ? ['PML_API_KEY must be set where the agent is started'] : []),
    ...(scope === 'project' && isOfThisMachine ? [pathNote(settings)] : []),
  ]
  const change = await changeFile(context, file, { ...wish, text })
  if (change.result === 'written' && !http) await compileHook(context.ops)
  return { ...change, notes }
}

function pathNote({ inProject }: AgentSettings): string {
  const note = 'The hook names a path of this machine, so the file is not for others'
  return inProject === undefined ? note : `${note}; add pml to the project, then run this again`
}

/** Takes out of the settings of an agent what some version of pml put there, and nothing else. */
export async function uninstallHooks(
  context: OwnContext,
  wish: Omit<InstallWish, 'isHttp'>,
): Promise<HookChange> {
  const { file, uninstalled } = await openHookFile(context, wish)
  return { ...(await changeFile(context, file, { ...wish, text: uninstalled() })), notes: [] }
}

async function changeFile(
  { confirm }: Pick<OwnContext, 'confirm'>,
  file: Awaited<ReturnType<typeof openHookFile>>['file'],
  { text, isDryRun, isSure }: { text: string | undefined; isDryRun: boolean; isSure: boolean },
): Promise<Omit<HookChange, 'notes'>> {
  const { path } = file
  const diff = printChange(path, file.text, text ?? '')
  if (diff === '') return { file: path, result: 'unchanged', diff }
  if (isDryRun) return { file: path, result: 'not written', diff }
  if (!isSure && !(await confirm(diff))) return { file: path, result: 'declined', diff }
  await requireSame(file)
  await file.write(text)
  return { file: path, result: text === undefined ? 'removed' : 'written', diff }
}

/** A person may think for minutes, and agents write their settings too. */
async function requireSame(file: Awaited<ReturnType<typeof openHookFile>>['file']): Promise<void> {
  if (await file.isAsRead()) return
  throw new PmlError('file_failed', `Cannot write ${file.path}: it was changed meanwhile; run this again`)
}
