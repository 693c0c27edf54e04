import type { ToolRegistry } from '@pml/tools'

export function writeCommands<Context, OwnContext>(options: {
  readonly tools: ToolRegistry<Context>
  /** Those that work on this machine. */
  readonly own?: ToolRegistry<OwnContext>
  readonly folder: string
  readonly reservedWords: readonly string[]
  /** Of every command, without the dashes. */
  readonly flags: readonly string[]
}): Promise<void>
