import { baseOf, findAgent, findMark } from './find-agent.ts'
import { findStarter } from './find-starter.ts'
import { emulators, multiplexers, relays, remotes } from './known-terminals.ts'
import { linuxProcesses } from './linux-processes.ts'
import { macProcesses } from './mac-processes.ts'
import { lineOf, type Process, type Processes } from './processes.ts'
import type { Proof, Unproven } from './proof.ts'
import type { Ops } from '../ops.ts'

/** How many terminals may stand inside each other. */
const MOST_NESTED = 4

interface Proving {
  readonly processes: Processes
  readonly pid: number
  /** Of the process itself, which can have changed since it was started. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** What this system says of its processes; undefined where nobody has taught pml to ask. */
export function openProcesses(platform: NodeJS.Platform, user: number): Processes | undefined {
  if (platform === 'linux') return linuxProcesses(user)
  return platform === 'darwin' ? macProcesses() : undefined
}

/**
 * Whether a person may have started the process: no coding agent among those that led to it, none of an agent's variables, a
 * terminal that a person's program shows, and nothing but shells and the like between that terminal and the process. Whatever
 * cannot be known counts against it.
 */
export function proofOfPerson({
  processes,
  pid,
  env,
}: Proving): Extract<Proof, { kind: 'agent-free' }> | Unproven {
  const reason = findOwnMark(env) ?? findDoubt(processes, pid, 0)
  if (reason !== undefined) return { kind: 'unproven', reason }
  return { kind: 'agent-free', terminal: processes.find(pid)?.terminal?.name ?? '' }
}

function findOwnMark(env: Proving['env']): string | undefined {
  const mark = findMark(Object.keys(env).filter((name) => env[name] !== undefined))
  return mark && `${mark.variable} is set, a variable of ${mark.agent.title}`
}

/** A coding agent that is seen to have led to the process. */
export function findAgentAbove({ processes, pid, env }: Proving): string | undefined {
  return findOwnMark(env) ?? findAgentIn(lineOf(processes, pid) ?? [])
}

function findDoubt(processes: Processes, pid: number, depth: number): string | undefined {
  if (!processes.isWhole(pid)) return 'it runs in a namespace, in which users and processes can be made up'
  const line = lineOf(processes, pid)
  if (!line) return 'not every process that led to this one can be looked at'
  const agent = findAgentIn(line)
  if (agent !== undefined) return agent
  const [self] = line
  if (!self?.terminal) return 'it does not run on a terminal'
  const index = line.findIndex((one) => one.pid === self.leader)
  const leader = line[index]
  if (!leader) return 'the process that opened its terminal did not start it, or is gone'
  const starter = findStarter(line.slice(1, index + 1))
  if (starter !== undefined) return `${starter} started it, not you`
  if (!self.terminal.isMade) return findConsoleDoubt(line.slice(index))
  return findTerminalDoubt(processes, { leader, line, depth })
}

/** Root alone can show a login on a console. Anybody who may open its device can start something there. */
function findConsoleDoubt(above: readonly Process[]): string | undefined {
  const isLogin = above.some((one) => one.user === 0 && nameOf(one) === 'login')
  return isLogin ? undefined : 'nobody logged in on its console'
}

interface Looking {
  readonly leader: Process
  readonly line: readonly Process[]
  readonly depth: number
}

function findTerminalDoubt(processes: Processes, { leader, line, depth }: Looking): string | undefined {
  if (depth >= MOST_NESTED) return 'too many terminals stand inside each other'
  const { terminal } = leader
  if (!terminal) return 'the process that opened its terminal has none any more'
  const holders = processes.holdersOf(terminal, leader)
  if (holders.length === 0) return findHiddenDoubt(processes, leader, line)
  for (const holder of holders) {
    const doubt = findHolderDoubt(processes, { holder, line, depth })
    if (doubt !== undefined) return doubt
  }
  return undefined
}

/** Nobody but root looks into the server of ssh: its line and its user say that it is one. */
function findHiddenDoubt(
  processes: Processes,
  leader: Process,
  line: readonly Process[],
): string | undefined {
  const server = processes.find(leader.parent)
  const above = server && processes.find(server.parent)
  const isServer = server && remotes.has(titleOf(server)) && above?.user === 0 && remotes.has(titleOf(above))
  return isServer ? findRemoteDoubt(processes, line) : 'the program that shows its terminal cannot be seen'
}

function findHolderDoubt(
  processes: Processes,
  { holder, line, depth }: { holder: Process; line: readonly Process[]; depth: number },
): string | undefined {
  const above = lineOf(processes, holder.pid)
  if (!above) return 'not every process that led to its terminal can be looked at'
  const agent = findAgentIn(above)
  if (agent !== undefined) return `its terminal: ${agent}`
  const { program } = holder
  const name = nameOf(holder)
  const who = `${name} (process ${holder.pid})`
  if (program !== undefined && processes.isOwnFile(program))
    return `its terminal is shown by ${who}, a program that is not installed for the whole machine`
  if (emulators.has(name)) return undefined
  if (remotes.has(name)) return findRemoteDoubt(processes, line)
  if (relays.has(name)) return findDoubt(processes, holder.pid, depth + 1)
  if (!multiplexers.has(name))
    return `its terminal is made by ${who}, which is no terminal program that pml knows`
  const isSeen = processes
    .clientsOf(holder)
    .some(({ pid }) => findDoubt(processes, pid, depth + 1) === undefined)
  return isSeen ? undefined : `no terminal of a person is attached to ${who}`
}

/** From this very machine an agent can open one, too. */
function findRemoteDoubt(processes: Processes, line: readonly Process[]): string | undefined {
  const said = line.flatMap(({ variables }) => variables?.get('SSH_CONNECTION') ?? [])
  const isFar = said.length > 0 && said.every((text) => processes.isRemote(text))
  return isFar ? undefined : 'pml cannot see that its ssh session comes from another machine'
}

function findAgentIn(line: readonly Process[]): string | undefined {
  for (const process of line) {
    const agent = findAgent(process)
    if (agent) return `${agent.title} started it (process ${process.pid})`
    const mark = findMark(process.variables?.keys() ?? [])
    if (mark) return `process ${process.pid} has ${mark.variable}, a variable of ${mark.agent.title}`
  }
  return undefined
}

function nameOf({ program, name }: Process): string {
  return baseOf(program ?? name)
}

/** The servers of ssh write what they do behind their name. */
function titleOf({ program, name, args }: Process): string {
  return baseOf(program ?? args[0]?.split(':')[0] ?? name)
}

/**
 * Why the client at the other end may be a program of a coding agent, which answers its own question. A client is what started
 * the process, launchers aside; one that is no agent itself was started by none.
 */
export function findClientDoubt(processes: Processes, pid: number): string | undefined {
  const line = lineOf(processes, pid)
  if (!line) return 'not every process that led to this one can be looked at'
  const [client, ...above] = line.slice(1).filter((one, index) => !isLauncher(one, line[index + 2]))
  const agent = above.find((one) => findAgent(one) && !(client && findAgent(client) && isEditor(one)))
  if (!client || !agent) return undefined
  return `${findAgent(agent)?.title} started the client that would answer (${client.name}, process ${client.pid})`
}

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'cmd'])
const launchers: ReadonlySet<string> = new Set([
  'npx',
  'npx-cli',
  'npm',
  'npm-cli',
  'pnpm',
  'pnpx',
  'yarn',
  'bunx',
  'pml',
])

/** `npx` starts what it runs with a shell; any other shell may feed it with what an agent wrote. */
function isLauncher(process: Process, parent: Process | undefined): boolean {
  if (isOf(launchers, process)) return true
  return isOf(shells, process) && parent !== undefined && isOf(launchers, parent)
}

function isOf(names: ReadonlySet<string>, { name, args }: Process): boolean {
  return [name, ...args.slice(0, 2)].some((word) => names.has(baseOf(word)))
}

/** A person works in its terminal. */
function isEditor(process: Process): boolean {
  return findAgent(process)?.isEditor === true
}

/**
 * The coding agent that gave this process a variable which it was not started with: its settings, or a file of the repository
 * such as .mcp.json, set it, and not the operator of the machine. Undefined where none is seen.
 */
export function findOtherSetter(
  variable: string,
  { env, platform, pid, user = -1 }: Pick<Ops, 'env' | 'platform' | 'pid' | 'user'>,
): string | undefined {
  const processes = openProcesses(platform, user)
  const above = processes ? (lineOf(processes, pid) ?? []).slice(1) : []
  for (const process of above) {
    const agent = findAgent(process)
    if (agent && process.variables?.get(variable) !== env[variable]) return agent.title
  }
  return undefined
}
