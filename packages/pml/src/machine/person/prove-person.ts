import { baseOf, findAgent, findMark } from './find-agent.ts'
import { findStarter } from './find-starter.ts'
import { emulators, multiplexers, relays, remotes } from './known-terminals.ts'
import { linuxProcesses } from './linux-processes.ts'
import { macProcesses } from './mac-processes.ts'
import { lineOf, type Process, type Processes } from './processes.ts'
import type { Proof, Unproven } from './proof.ts'
import type { Ops } from '../ops.ts'

/** How deeply terminals may be nested. */
const MOST_NESTED = 4

interface Proving {
  readonly processes: Processes
  readonly pid: number
  /** The current environment of the process, which may differ from the one at its start. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The processes of this system; undefined on platforms that are not supported. */
export function openProcesses(platform: NodeJS.Platform, user: number): Processes | undefined {
  if (platform === 'linux') return linuxProcesses(user)
  return platform === 'darwin' ? macProcesses() : undefined
}

/**
 * Proves that a person started the process: no coding agent among its ancestors, no variable of an agent, a terminal shown
 * by a known terminal program, and nothing but shells and the like between that terminal and the process. Whatever is
 * unknown counts against it.
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

/** A coding agent among the ancestors of the process. */
export function findAgentAbove({ processes, pid, env }: Proving): string | undefined {
  return findOwnMark(env) ?? findAgentIn(lineOf(processes, pid) ?? [])
}

function findDoubt(processes: Processes, pid: number, depth: number): string | undefined {
  if (!processes.isWhole(pid)) return 'it runs in a namespace, where users and processes can be faked'
  const line = lineOf(processes, pid)
  if (!line) return 'some of its parent processes cannot be inspected'
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

/** Only root can run a login on a console. Others who may open the device can start programs there. */
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
  if (depth >= MOST_NESTED) return 'its terminals are nested too deeply'
  const { terminal } = leader
  if (!terminal) return 'the process that opened its terminal no longer has one'
  const holders = processes.holdersOf(terminal, leader)
  if (holders.length === 0) return findHiddenDoubt(processes, leader, line)
  for (const holder of holders) {
    const doubt = findHolderDoubt(processes, { holder, line, depth })
    if (doubt !== undefined) return doubt
  }
  return undefined
}

/** Only root can inspect the ssh server, so it is recognised by its command line and its user. */
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
  if (!above) return 'some parent processes of its terminal cannot be inspected'
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
    return `its terminal was opened by ${who}, which is not a terminal program that pml knows`
  const isSeen = processes
    .clientsOf(holder)
    .some(({ pid }) => findDoubt(processes, pid, depth + 1) === undefined)
  return isSeen ? undefined : `no terminal of a person is attached to ${who}`
}

/** An agent can open a session from this machine, so only other machines count. */
function findRemoteDoubt(processes: Processes, line: readonly Process[]): string | undefined {
  const said = line.flatMap(({ variables }) => variables?.get('SSH_CONNECTION') ?? [])
  const isFar = said.length > 0 && said.every((text) => processes.isRemote(text))
  return isFar ? undefined : 'pml cannot verify that its ssh session comes from another machine'
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

/** ssh servers append their state to their name. */
function titleOf({ program, name, args }: Process): string {
  return baseOf(program ?? args[0]?.split(':')[0] ?? name)
}

/**
 * Why the client may be a program of a coding agent that would answer its own prompt. The client is the process that
 * started pml, apart from launchers. A client that is not an agent must not have been started by one.
 */
export function findClientDoubt(processes: Processes, pid: number): string | undefined {
  const line = lineOf(processes, pid)
  if (!line) return 'some of its parent processes cannot be inspected'
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

/** `npx` runs programs through a shell. Any other shell may run what an agent wrote. */
function isLauncher(process: Process, parent: Process | undefined): boolean {
  if (isOf(launchers, process)) return true
  return isOf(shells, process) && parent !== undefined && isOf(launchers, parent)
}

function isOf(names: ReadonlySet<string>, { name, args }: Process): boolean {
  return [name, ...args.slice(0, 2)].some((word) => names.has(baseOf(word)))
}

/** Whether the agent is an editor, in whose terminal a person works. */
function isEditor(process: Process): boolean {
  return findAgent(process)?.isEditor === true
}

/**
 * The coding agent that added a variable to the environment of this process. Then its settings or a file of the repository
 * such as .mcp.json set the variable, and not the operator of the machine.
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
