import type { JsonObject } from '@pml/tools/run-tool'
import { toolOf, type CommandContext } from './command.ts'
import { loadCommand } from './load-command.ts'

export interface CommandCall {
  /** The command's path in this folder, such as `lock/show`. */
  readonly place: string
  readonly args: unknown
}

/** Runs one command and loads only its file. Without arguments there is nothing to validate, so zod is not loaded. */
export async function runCommand(context: CommandContext, { place, args }: CommandCall): Promise<JsonObject> {
  const command = await loadCommand(place)
  if (!('run' in command)) throw new Error(`${place} runs at the registry`)
  if (!command.input) return command.run(context, {})
  const [{ runTool }, shapes] = await Promise.all([import('@pml/tools/run-tool'), import('./shapes.ts')])
  return runTool(toolOf(place, command, shapes), context, args)
}
