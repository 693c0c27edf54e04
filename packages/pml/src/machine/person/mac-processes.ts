import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import type { Process, Processes } from './processes.ts'

const PS = '/bin/ps'
const TIMEOUT_MS = 5000
const LIMIT_BYTES = 16 * 1024 * 1024

/** Runs `ps` and returns its output; undefined if it fails. */
type RunPs = (options: readonly string[]) => string | undefined

/**
 * Processes as `ps` lists them. `ps` does not say who holds the other end of a terminal, so the parent of the process that
 * opened it counts as the holder. It lists neither the clients of a multiplexer nor connections.
 */
export function macProcesses(ps: RunPs = runPs): Processes {
  const listed = parseList(ps(['-axww', '-o', 'pid=,ppid=,uid=,stat=,tty=,comm=']) ?? '')
  const leaders = new Map(
    listed.flatMap(({ pid, state, tty }) => (state.includes('s') ? [[tty, pid] as const] : [])),
  )
  const rows = new Map(listed.map((row) => [row.pid, row]))

  function find(pid: number): Process | undefined {
    const row = rows.get(pid)
    if (!row) return undefined
    const { parent, user, tty, program } = row
    const text = ps(['-wwE', '-o', 'command=', '-p', String(pid)])
    return {
      pid,
      parent,
      user,
      leader: leaders.get(tty) ?? 0,
      terminal: tty.startsWith('?') ? undefined : { name: tty, isMade: tty !== 'console' },
      name: program.slice(program.lastIndexOf('/') + 1),
      program,
      args: (ps(['-ww', '-o', 'args=', '-p', String(pid)]) ?? '').trim().split(/\s+/),
      variables: text === undefined ? undefined : variablesIn(text),
    }
  }
  return {
    find,
    holdersOf: (_terminal, leader) => [find(leader.parent) ?? []].flat(),
    clientsOf: () => [],
    isWhole: () => true,
    isRemote: () => false,
    isOwnFile: (program) => !program.startsWith('/Applications/') && !isOfRoot(program),
  }
}

interface Row {
  readonly pid: number
  readonly parent: number
  readonly user: number
  readonly state: string
  readonly tty: string
  readonly program: string
}

function parseList(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.+?)\s*$/.exec(line)
    if (!found) return []
    const [, pid, parent, user, state = '', tty = '', program = ''] = found
    return [{ pid: Number(pid), parent: Number(parent), user: Number(user), state, tty, program }]
  })
}

/** Arguments and variables are on one line; an argument that looks like a variable counts as one. */
function variablesIn(text: string): ReadonlyMap<string, string> {
  const found = text.matchAll(/(?:^|\s)([A-Za-z_]\w*)=((?:(?!\s[A-Za-z_]\w*=).)*)/gs)
  return new Map([...found].map(([, name = '', value = '']) => [name, value.trim()]))
}

function isOfRoot(program: string): boolean {
  try {
    return statSync(program).uid === 0
  } catch {
    return false
  }
}

function runPs(options: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(PS, options, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: LIMIT_BYTES,
  })
  return status === 0 ? stdout : undefined
}
