import type { ToolRegistry } from '@pml/tools'

export function writeCommands<Context, OwnContext>(options: {
  readonly tools: ToolRegistry<Context>
  /** The commands that run on this machine. */
  readonly own?: ToolRegistry<OwnContext>
  /** The places of commands that only print what the registry answers. */
  readonly prints?: readonly string[]
  readonly folder: string
  readonly reservedWords: readonly string[]
  /** The flags of every command, without the dashes. */
  readonly flags: readonly string[]
}): Promise<void>
