import type { ToolRegistry } from '@pml/tools'

export function writeCommands<Context>(options: {
  readonly tools: ToolRegistry<Context>
  readonly folder: string
  readonly reservedWords: readonly string[]
  /** Of every command, without the dashes. */
  readonly flags: readonly string[]
}): Promise<void>
