import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isRemote, parseSshConnection } from './linux-connections.ts'
import type { Process, Processes, Terminal } from './processes.ts'

const PTY_MAJORS = { first: 136, last: 143 }
const CONSOLE_MAJOR = 4
/** PROC_SUPER_MAGIC of linux/magic.h. */
const PROC_TYPE = 0x9fa0
/** The identity map of all users, which only the initial user namespace has. See user_namespaces(7). */
const ALL_USERS = /^\s*0\s+0\s+4294967295\s*$/

/** Processes as /proc lists them; see proc(5). */
export function linuxProcesses(user: number): Processes {
  const all = () => idsIn('/proc').flatMap((pid) => findProcess(pid) ?? [])
  return {
    find: findProcess,
    holdersOf: (terminal) => all().filter(({ pid }) => holds(pid, terminal)),
    clientsOf: (server) => {
      const open = new Set(linksIn(server.pid))
      return all().filter(
        ({ pid, program, terminal }) =>
          pid !== server.pid && program === server.program && terminal && open.has(`/dev/${terminal.name}`),
      )
    },
    isWhole,
    isRemote: (text) => {
      const connection = parseSshConnection(text)
      return connection !== undefined && isRemote(connection, readTables())
    },
    isOwnFile: (program) => user !== 0 && ownerOf(program) !== 0,
  }
}

function findProcess(pid: number): Process | undefined {
  const stat = readOf(pid, 'stat')
  const status = readOf(pid, 'status')
  if (stat === undefined || status === undefined) return undefined
  // The name is in parentheses and may itself contain parentheses and spaces.
  const [, parent, , leader, terminal] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return {
    pid,
    parent: Number(parent),
    user: Number(/^Uid:\s+(\d+)/m.exec(status)?.[1] ?? -1),
    leader: Number(leader),
    terminal: terminalOf(Number(terminal)),
    name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
    program: programOf(pid),
    args: partsOf(readOf(pid, 'cmdline') ?? ''),
    variables: variablesIn(readOf(pid, 'environ')),
  }
}

/** A user who may mount could put other files over /proc. */
function isWhole(pid: number): boolean {
  const types = ['/proc', `/proc/${pid}/uid_map`].map((path) => unlessHidden(() => statfsSync(path).type))
  return types.every((type) => type === PROC_TYPE) && ALL_USERS.test(readOf(pid, 'uid_map') ?? '')
}

function readTables(): string[] {
  return ['/proc/net/tcp', '/proc/net/tcp6'].map(
    (path) => unlessHidden(() => readFileSync(path, 'utf8')) ?? '',
  )
}

function terminalOf(device: number): Terminal | undefined {
  if (device === 0) return undefined
  const major = (device >> 8) & 0xfff
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00)
  if (major >= PTY_MAJORS.first && major <= PTY_MAJORS.last)
    return { name: `pts/${((major - PTY_MAJORS.first) << 8) + minor}`, isMade: true }
  return {
    name: `${major === CONSOLE_MAJOR ? 'tty' : `device ${major}:`}${minor}`,
    isMade: major !== CONSOLE_MAJOR,
  }
}

/** The master end of every pseudo-terminal is called ptmx; only fdinfo says which one it is. */
function holds(pid: number, { name }: Terminal): boolean {
  return idsIn(`/proc/${pid}/fd`).some((fd) => {
    if (!linkOf(`/proc/${pid}/fd/${fd}`)?.endsWith('/ptmx')) return false
    const index = /^tty-index:\s+(\d+)/m.exec(readOf(pid, `fdinfo/${fd}`) ?? '')?.[1]
    return index === undefined || `pts/${index}` === name
  })
}

function linksIn(pid: number): string[] {
  return idsIn(`/proc/${pid}/fd`).flatMap((fd) => linkOf(`/proc/${pid}/fd/${fd}`) ?? [])
}

/** The kernel appends " (deleted)" to the path of a file that was replaced. */
function programOf(pid: number): string | undefined {
  return linkOf(`/proc/${pid}/exe`)?.replace(/ \(deleted\)$/, '')
}

function variablesIn(text: string | undefined): ReadonlyMap<string, string> | undefined {
  if (text === undefined) return undefined
  return new Map(
    partsOf(text).map((part) => {
      const end = part.indexOf('=')
      return end < 0 ? [part, ''] : [part.slice(0, end), part.slice(end + 1)]
    }),
  )
}

function partsOf(text: string): string[] {
  return text.split('\0').filter((part) => part !== '')
}

function idsIn(folder: string): number[] {
  return (
    unlessHidden(() => readdirSync(folder).flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []))) ?? []
  )
}

function readOf(pid: number, file: string): string | undefined {
  return unlessHidden(() => readFileSync(join('/proc', String(pid), file), 'utf8'))
}

function linkOf(path: string): string | undefined {
  return unlessHidden(() => readlinkSync(path))
}

function ownerOf(program: string): number | undefined {
  return unlessHidden(() => statSync(program).uid)
}

/** Processes may exit meanwhile, and those of other users are hidden. */
function unlessHidden<Value>(look: () => Value): Value | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
