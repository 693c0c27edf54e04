import {
  changeSettings,
  type ChangeOptions,
  type SettingsChange,
  type SettingsContext,
} from './change-settings.ts'
import type { AnyAgentName, GatewaySettings, Scope } from '@pml/hooks/agents'
import { homeOf, type Ops } from '../machine/ops.ts'
import { readSettingsFile, type SettingsFile } from './settings-file.ts'
import { projectFolderOf, type ProjectContext } from '../workspace/workspace-files.ts'
import { gatewayOf } from './client-settings.ts'
import { withGateway, withoutGateway } from './edit-json.ts'
import { withGatewayToml, withoutGatewayToml } from './edit-toml.ts'
import { findInProject, ownCommand } from '../machine/own-command.ts'

interface ClientOptions extends ChangeOptions {
  readonly client: AnyAgentName
  readonly scope: Scope
}

/** Adds `pml serve` to the servers of a client, or replaces the entry of an older version. */
export async function installClient(
  context: SettingsContext,
  request: ClientOptions,
): Promise<SettingsChange> {
  const { settings, root, file } = await openClientFile(context, request)
  const { format, key, whenNew, entry, inProject, note } = settings
  const { command, args, isOfThisMachine } = await gatewayLineFor(context.ops, {
    ...request,
    root,
    inProject,
  })
  const wanted = entry({ command, args })
  const edit = format === 'toml' ? withGatewayToml : withGateway
  const text = edit(file.text, wanted, { file: file.path, key, whenNew })
  const pathNote = request.scope === 'project' && isOfThisMachine ? [pathNoteFor(settings)] : []
  return { ...(await changeSettings(context, file, { ...request, text })), notes: [note, ...pathNote] }
}

/** Removes `pml serve` and nothing else. */
export async function uninstallClient(
  context: SettingsContext,
  request: ClientOptions,
): Promise<SettingsChange> {
  const { settings, file } = await openClientFile(context, request)
  const edit = settings.format === 'toml' ? withoutGatewayToml : withoutGateway
  const text = edit(file.text, { file: file.path, key: settings.key })
  return { ...(await changeSettings(context, file, { ...request, text })), notes: [] }
}

async function openClientFile(
  context: ProjectContext,
  { client, scope }: ClientOptions,
): Promise<{ settings: GatewaySettings; root: string; file: SettingsFile }> {
  const settings = gatewayOf(client)
  const root = await projectFolderOf(context)
  const { env, platform } = context.ops
  const place = settings.files[scope]({ root, home: homeOf(env), env, platform })
  return { settings, root, file: await readSettingsFile(place) }
}

function pathNoteFor({ inProject }: GatewaySettings): string {
  const note = 'The entry has a path of this machine, so do not share the file'
  return inProject === undefined ? note : `${note}; add pml to the project, then run this again`
}

/** The command line with which a client starts the gateway. */
interface GatewayLine {
  readonly command: string
  readonly args: readonly string[]
  /** Whether its script exists only on this machine. */
  readonly isOfThisMachine: boolean
}

async function gatewayLineFor(
  { execPath }: Pick<Ops, 'execPath'>,
  { scope, root, inProject }: { scope: Scope; root: string; inProject: string | undefined },
): Promise<GatewayLine> {
  const shared = scope === 'project' && inProject !== undefined ? await findInProject(root) : undefined
  return {
    // A project is shared, and Node is elsewhere for others. User settings must work without a PATH.
    command: scope === 'project' ? 'node' : execPath,
    args: [shared === undefined ? ownCommand() : `${inProject}${shared}`, 'serve'],
    isOfThisMachine: shared === undefined,
  }
}
