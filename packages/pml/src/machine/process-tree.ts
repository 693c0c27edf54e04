import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** The process tree to look for. */
interface Origin {
  /** The started process, leader of its own group and session. */
  readonly root: number
  /** Its pid may have been reused. */
  readonly isRootGone: boolean
  /** `NAME=value` in the environment of all descendants. */
  readonly mark: string
}

interface Row {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly isDead: boolean
}

/**
 * Every living descendant of `root`: its group, its session and their children, and on Linux also orphans, by the mark that
 * they inherited. Undefined if the system has no list of processes.
 */
export function findProcesses({ root, isRootGone, mark }: Origin): number[] | undefined {
  const rows = readProcFolder() ?? askPs()
  if (rows === undefined) return undefined
  const isReused = isRootGone && rows.some(({ pid }) => pid === root)
  const found = new Set(rows.filter(({ pid }) => hasMark(pid, mark)).map(({ pid }) => pid))
  if (!isReused) found.add(root)
  for (const pid of found) {
    for (const row of rows) if ([row.parent, row.group, row.session].includes(pid)) found.add(row.pid)
  }
  return rows.filter(({ pid, isDead }) => found.has(pid) && !isDead).map(({ pid }) => pid)
}

/** Whether a process is alive; false where there is no /proc. */
export function isAlive(pid: number): boolean {
  return rowOf(pid)?.isDead === false
}

function readProcFolder(): Row[] | undefined {
  const names = attempt(() => readdirSync('/proc')) ?? []
  const rows = names.filter((name) => /^\d+$/.test(name)).flatMap((name) => rowOf(Number(name)) ?? [])
  return rows.length === 0 ? undefined : rows
}

/** proc_pid_stat(5): the name of the program, in parentheses, may hold anything. */
function rowOf(pid: number): Row | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  if (text === undefined) return undefined
  const [state = '', ...numbers] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [parent = 0, group = 0, session = 0] = numbers.map(Number)
  return { pid, parent, group, session, isDead: /[ZX]/.test(state) }
}

function hasMark(pid: number, mark: string): boolean {
  const environment = attempt(() => readFileSync(`/proc/${pid}/environ`, 'latin1'))
  return environment?.split('\0').includes(mark) ?? false
}

function askPs(): Row[] | undefined {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' })
  const lines = (stdout ?? '').split('\n').filter((line) => line.trim() !== '')
  const rows = lines.map((line) => {
    const [pid = '', parent = '', group = '', state = ''] = line.trim().split(/\s+/)
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: 0,
      isDead: state.startsWith('Z'),
    }
  })
  return rows.length === 0 ? undefined : rows
}

/** Processes may exit meanwhile. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
