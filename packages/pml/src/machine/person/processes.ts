/** A process, as far as this user may inspect it. */
export interface Process {
  readonly pid: number
  /** Zero if the parent cannot be seen. */
  readonly parent: number
  readonly user: number
  /** The process that opened its terminal; zero if unknown. */
  readonly leader: number
  readonly terminal: Terminal | undefined
  readonly name: string
  /** The full path of its executable; undefined if only its owner may see it. */
  readonly program: string | undefined
  readonly args: readonly string[]
  /** Its environment at start; undefined if only its owner may see it. */
  readonly variables: ReadonlyMap<string, string> | undefined
}

export interface Terminal {
  readonly name: string
  /** Whether a program created it. Others are consoles of the machine. */
  readonly isMade: boolean
}

export interface Processes {
  find(pid: number): Process | undefined
  /** The visible processes that hold the other end of a terminal. */
  holdersOf(terminal: Terminal, leader: Process): readonly Process[]
  /** The clients of a multiplexer: processes of the same program whose terminals it has open. */
  clientsOf(server: Process): readonly Process[]
  /** Whether the process sees the real users and processes, and not those of a namespace that anybody can create. */
  isWhole(pid: number): boolean
  /** Whether a connection in the format of SSH_CONNECTION exists and comes from another machine. */
  isRemote(connection: string): boolean
  /** Whether this user could have put the program there. */
  isOwnFile(program: string): boolean
}

const LONGEST_LINE = 200

/** The process and all its ancestors; undefined if one of them is hidden. */
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
