// npm run agents: real coding agents against a scripted model.
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pLimit from 'p-limit'
import { PmlError } from '@pml/core'
import { root } from '../../bench/root.ts'
import { createStops } from '../../bench/stops.ts'
import { cacheHomeOf } from '../../packages/pml/src/machine/ops.ts'
import { findNpm } from '../../packages/pml/src/npm/run-npm.ts'
import { killAllSync } from '../../packages/pml/src/machine/owned-process.ts'
import type { Agent } from './agents/agent.ts'
import { parseAgentsArguments, usage, type AgentsArguments } from './arguments.ts'
import { installAgent } from './install.ts'
import { startLiveRegistry, type LiveRegistry } from './live-registry.ts'
import { runScenario, type World } from './run-scenario.ts'
import type { Scenario } from './scenarios.ts'
import { countVerdicts, limitOf, printVerdict, type Verdict } from './verdict.ts'
import { withTable } from './with-table.ts'

const INSTALL_TIMEOUT_MS = 300_000
const AT_ONCE = 2

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
process.on('exit', killAllSync)
const tell = (line: string) => void process.stderr.write(`${line}\n`)

process.exitCode = await main().catch((error: unknown) => {
  tell(String(error instanceof PmlError ? error.message : error instanceof Error ? error.stack : error))
  return error instanceof PmlError ? error.exitCode : 1
})

async function main(): Promise<number> {
  const args = parseAgentsArguments(process.argv.slice(2))
  if (args.help) {
    process.stdout.write(usage)
    return 0
  }
  const verdicts = await runAll(args)
  if (args.writesDocs) await writeDocs(verdicts)
  const { passed, failed, skipped, limits } = countVerdicts(verdicts)
  if (args.report !== undefined) await writeFile(args.report, JSON.stringify({ passed, failed, skipped }))
  const others = `${skipped} skipped, ${limits} that the agent cannot do`
  process.stdout.write(`agents: ${passed} passed, ${failed} failed, ${others}\n`)
  return failed > 0 || stopping.signal.aborted ? 1 : 0
}

async function runAll({ agents, scenarios }: AgentsArguments): Promise<Verdict[]> {
  const folder =
    process.env['PML_AGENTS_DIR'] || join(dirname(cacheHomeOf(process.env, process.platform)), 'pml-agents')
  const stops = createStops()
  let registry: Promise<LiveRegistry> | undefined
  const world: World = {
    folder,
    registry: () => (registry ??= startLiveRegistry(stops)),
    signal: stopping.signal,
  }
  try {
    const installed = new Map<Agent, string | Error>()
    for (const agent of agents) installed.set(agent, await tryInstall(agent, folder))
    const jobs = agents.flatMap((agent) => scenarios.map((scenario) => ({ agent, scenario })))
    const judge = async ({ agent, scenario }: { agent: Agent; scenario: Scenario }): Promise<Verdict> => {
      const verdict = await verdictOf(agent, scenario, { installed: installed.get(agent), world })
      process.stdout.write(printVerdict(verdict))
      return verdict
    }
    const atOnce = pLimit(AT_ONCE)
    const shared = jobs.filter(({ scenario }) => scenario.isMeasured !== true)
    const verdicts = await Promise.all(shared.map((job) => atOnce(() => judge(job))))
    // Measurements run alone on the machine.
    for (const job of jobs) if (job.scenario.isMeasured === true) verdicts.push(await judge(job))
    return verdicts
  } finally {
    await stops.run()
  }
}

async function tryInstall(agent: Agent, folder: string): Promise<string | Error> {
  const npm = {
    npm: await findNpm(process),
    timeoutMs: INSTALL_TIMEOUT_MS,
    signal: stopping.signal,
    kill: (pid: number, signal: NodeJS.Signals | 0) => process.kill(pid, signal),
  }
  return installAgent(agent, { folder, npm, tell }).catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  )
}

async function verdictOf(
  agent: Agent,
  scenario: Scenario,
  { installed, world }: { installed: string | Error | undefined; world: World },
): Promise<Verdict> {
  const limit = limitOf(agent, scenario)
  if (limit !== undefined) return { agent, scenario, kind: 'limit', why: limit }
  if (typeof installed !== 'string' || stopping.signal.aborted) {
    const why = installed instanceof Error ? installed.message : 'stopped'
    return { agent, scenario, kind: 'skipped', why }
  }
  const start = performance.now()
  const run = await runScenario(agent, scenario, { installed, world }).catch((error: unknown) => ({
    problems: [String(error instanceof Error ? error.stack : error)],
    seconds: (performance.now() - start) / 1000,
  }))
  return { agent, scenario, kind: 'ran', run }
}

async function writeDocs(verdicts: readonly Verdict[]): Promise<void> {
  const page = join(root, 'docs', 'agents.md')
  await writeFile(page, withTable(await readFile(page, 'utf8'), verdicts))
}
