import type { Command } from '../ready-tool.ts'

/** As little of a command as a list needs. */
export type CommandSummary = Pick<Command, 'name' | 'category' | 'command' | 'about'> & {
  /** The words that it is typed with now, where these are former ones. They still work; nothing lists them. */
  readonly movedTo?: string
}

/** Where commands come from. To run one, only the list and that one are asked for. */
export interface CommandSource {
  list(): Promise<readonly CommandSummary[]>
  load(name: string): Promise<Command>
}
