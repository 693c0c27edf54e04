import { baseOf, findAgent } from './find-agent.ts'
import { lineOf, type Process, type Processes } from './processes.ts'

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
