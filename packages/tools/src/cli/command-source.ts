import type { Command } from '../ready-tool.ts'

/** A command as lists show it. */
export type CommandSummary = Pick<Command, 'name' | 'category' | 'command' | 'about'> & {
  /** The words that it is typed with now, where these are former ones. They still work; nothing lists them. */
  readonly movedTo?: string
}

/** Where commands come from. Running one loads only the list and that command. */
export interface CommandSource {
  list(): Promise<readonly CommandSummary[]>
  load(name: string): Promise<Command>
}
