import type { Agent } from './agents/agent.ts'
import { agents } from './agents/index.ts'
import { scenarios, type Scenario } from './scenarios.ts'
import { hasFailed, limitOf, type Verdict } from './verdict.ts'

const START = '<!-- written by npm run agents -- --write-docs -->'
const END = '<!-- end -->'
const ADDED = 'time that the hook adds to a call'
const CANNOT = '–'

/** Returns the page with the results in its table; other cells and the rest of the page stay unchanged. */
export function withTable(page: string, verdicts: readonly Verdict[]): string {
  const [start, end] = [page.indexOf(START), page.indexOf(END)]
  if (start < 0 || end < start)
    throw new Error(`Cannot write docs/agents.md: expected the lines '${START}' and '${END}'`)
  const before = readCells(page.slice(start, end))
  const row = (title: string, cell: (agent: Agent) => string | undefined) => [
    title,
    ...agents.map((agent) => cell(agent) ?? before.get(keyOf(agent, title)) ?? ''),
  ]
  const rows = [
    ...scenarios.map((one) => row(one.title, (agent) => cellOf(agent, one, verdicts))),
    row(ADDED, (agent) => addedOf(agent, verdicts)),
  ]
  const head = ['', ...agents.map(titleOf)]
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return [page.slice(0, start) + START, '', ...lines, '', ...limitLines(), '', page.slice(end)].join('\n')
}

function readCells(text: string): Map<string, string> {
  const [head = [], , ...rows] = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  return new Map(
    rows.flatMap((cells) => cells.map((cell, index) => [`${head[index]}: ${cells[1]}`, cell] as const)),
  )
}

/** A cell names the version it was tested with. */
function keyOf(agent: Agent, title: string): string {
  return `${titleOf(agent)}: ${title}`
}

function titleOf({ title, version }: Agent): string {
  return `${title} ${version}`
}

function cellOf(agent: Agent, scenario: Scenario, verdicts: readonly Verdict[]): string | undefined {
  if (limitOf(agent, scenario) !== undefined) return CANNOT
  const verdict = verdicts.find((one) => one.agent === agent && one.scenario === scenario)
  if (verdict?.kind !== 'ran') return undefined
  return hasFailed(verdict) ? '**no**' : 'yes'
}

function addedOf(agent: Agent, verdicts: readonly Verdict[]): string | undefined {
  if (agent.limits.hooks !== undefined) return CANNOT
  const [added] = verdicts.flatMap((one) =>
    one.agent === agent && one.kind === 'ran' && one.run.addedMs !== undefined ? [one.run.addedMs] : [],
  )
  return added === undefined ? undefined : `${added} ms`
}

/** The explanations of the dashes. */
function limitLines(): string[] {
  return agents.flatMap(({ title, limits }) =>
    Object.entries(limits).map(([what, why]) => `- ${title} has no ${what}: ${why}.`),
  )
}
