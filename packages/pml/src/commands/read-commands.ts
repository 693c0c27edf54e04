import { ToolRegistry } from '@pml/tools'
import { toolOf, type CommandContext } from './command.ts'
import { loadCommand } from './load-command.ts'
import * as shapes from './shapes.ts'

interface ReadCommands {
  readonly tools: ToolRegistry<CommandContext>
  /** The paths of commands that the registry runs and that are printed here. */
  readonly prints: readonly string[]
}

/** Reads these commands, for the build that writes the command files. */
export async function readCommands(places: readonly string[]): Promise<ReadCommands> {
  const tools = new ToolRegistry<CommandContext>()
  const prints: string[] = []
  for (const place of places) {
    const command = (await loadCommand(place)) ?? {}
    if ('run' in command) tools.register(toolOf(place, command, shapes))
    else if ('print' in command) prints.push(place)
    else throw new Error(`Cannot read commands/${place}.ts: expected "export default defineCommand({…})"`)
  }
  return { tools, prints }
}
