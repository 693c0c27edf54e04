/** A process as far as this user may look at it. */
export interface Process {
  readonly pid: number
  /** Zero: it was started from outside of what can be seen. */
  readonly parent: number
  readonly user: number
  /** The process that opened its terminal; zero where that cannot be seen. */
  readonly leader: number
  readonly terminal: Terminal | undefined
  readonly name: string
  /** The whole path of its executable; undefined where nobody but its owner may look. */
  readonly program: string | undefined
  readonly args: readonly string[]
  /** What it was started with; undefined where nobody but its owner may look. */
  readonly variables: ReadonlyMap<string, string> | undefined
}

export interface Terminal {
  readonly name: string
  /** A program made it. Others are consoles of the machine. */
  readonly isMade: boolean
}

export interface Processes {
  find(pid: number): Process | undefined
  /** Those that read and write the other end of a terminal, as far as they can be seen. */
  holdersOf(terminal: Terminal, leader: Process): readonly Process[]
  /** Processes of the same program as a multiplexer, whose terminals it has open. */
  clientsOf(server: Process): readonly Process[]
  /** Whether the process sees the users and processes of the machine, not those of a namespace that anybody can make. */
  isWhole(pid: number): boolean
  /** Whether a connection that is written as in SSH_CONNECTION is there and comes from another machine. */
  isRemote(connection: string): boolean
  /** Whether this user could have put the program there. */
  isOwnFile(program: string): boolean
}

const LONGEST_LINE = 200

/** The process, its parent and so on to the first; undefined where one of them is hidden. */
export function lineOf(processes: Processes, pid: number): readonly Process[] | undefined {
  const line: Process[] = []
  for (let next = pid; next !== 0;) {
    const found = processes.find(next)
    if (!found || line.length >= LONGEST_LINE) return undefined
    line.push(found)
    next = found.parent
  }
  return line
}
