import type { Command } from '../ready-tool.ts'

/** A command in lists. */
export type CommandSummary = Pick<Command, 'name' | 'category' | 'command' | 'about'> & {
  /** The command's current words, if these are former ones. Former words still work but are not listed. */
  readonly movedTo?: string
}

/** The commands of a program. Running one loads only the list and that command. */
export interface CommandSource {
  list(): Promise<readonly CommandSummary[]>
  load(name: string): Promise<Command>
}
