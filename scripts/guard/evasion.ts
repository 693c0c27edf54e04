/** A shell command that changes a protected file in a way that a guard may miss. */
export interface Evasion {
  readonly id: string
  readonly group: string
  /** Runs in bash, in a folder made by `makeProject`. */
  readonly command: string
  /** The protected file that the command changes or removes, relative to the project's root. */
  readonly target: string
  /** Additional files that exist before. */
  readonly setup?: Readonly<Record<string, string>>
  /** Programs that the command needs besides bash and coreutils. */
  readonly needs?: readonly string[]
}

/** A command; or one with the programs it needs; or one with more options. */
export type Entry = string | readonly [command: string, ...needs: string[]] | Detailed

type Detailed = Pick<Evasion, 'command' | 'setup' | 'needs'> & { readonly target?: string }

/** A group of evasions with the same target. Ids are numbered: add new entries at the end. */
export function evasions(group: string, target: string, entries: readonly Entry[]): readonly Evasion[] {
  return entries.map((entry, index) => ({
    id: `${group}-${index + 1}`,
    group,
    target,
    ...detailsOf(entry),
  }))
}

function detailsOf(entry: Entry): Detailed {
  if (typeof entry === 'string') return { command: entry }
  if ('command' in entry) return entry
  const [command, ...needs] = entry
  return { command, needs }
}
