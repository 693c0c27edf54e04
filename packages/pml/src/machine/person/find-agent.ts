import { agents, type AgentProcess } from '@pml/hooks/agents'
import type { Process } from './processes.ts'

/** A coding agent, and how its processes are recognised. */
interface KnownAgent extends AgentProcess {
  readonly title: string
}

const knownAgents: readonly KnownAgent[] = agents.flatMap(({ title, process }) =>
  process ? [{ title, ...process }] : [],
)

/** Programs whose first plain argument is the script that really runs. */
const interpreters: ReadonlySet<string> = new Set(
  'node nodejs bun deno tsx npx npm pnpm yarn sh bash dash zsh ksh fish python python3 ruby perl'.split(' '),
)

/** The agent that a process is, judged by its executable, its name and its script. */
export function findAgent(process: Process): KnownAgent | undefined {
  const { name, program = '', args } = process
  const names = [name, program, args[0] ?? ''].map(baseOf)
  const script = names.some((one) => interpreters.has(one.replace(/[\d.]+$/, ''))) ? scriptIn(args) : ''
  return knownAgents.find(
    ({ programs, packages }) =>
      programs.some((one) => names.includes(one) || baseOf(script) === one) ||
      packages.some((one) => [script, program].some((path) => `/${path}/`.includes(`/${one}/`))),
  )
}

/** The agent that sets one of these variables, and the variable. */
export function findMark(names: Iterable<string>): { agent: KnownAgent; variable: string } | undefined {
  for (const variable of names) {
    const agent = knownAgents.find(
      ({ variables, settings }) =>
        !settings.includes(variable) &&
        variables.some((known) => (known.endsWith('_') ? variable.startsWith(known) : variable === known)),
    )
    if (agent) return { agent, variable }
  }
  return undefined
}

/** The base name in lower case, without the dash of a login shell and the extension of a script. */
export function baseOf(path: string): string {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return base
    .toLowerCase()
    .replace(/^-/, '')
    .replace(/\.(?:[cm]?[jt]s|sh|py|exe|cmd)$/, '')
}

function scriptIn([, ...args]: readonly string[]): string {
  return args.find((arg) => !arg.startsWith('-')) ?? ''
}
