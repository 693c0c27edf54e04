import { parseArgs } from 'node:util'
import { PmlError } from '@pml/core'
import type { Agent } from './agents/agent.ts'
import { agents } from './agents/index.ts'
import { scenarios, type Scenario } from './scenarios.ts'

export interface AgentsArguments {
  readonly agents: readonly Agent[]
  readonly scenarios: readonly Scenario[]
  /** The output file for `{"passed", "failed", "skipped"}`. */
  readonly report: string | undefined
  readonly writesDocs: boolean
  readonly help: boolean
}

export const usage = `npm run agents [-- agent… --scenario NAME… --ci --report FILE --write-docs]

Installs pinned versions of coding agents, runs each against a scripted model, and checks
what the model was told and what is on disk.

  agent             ${agents.map(({ name }) => name).join(', ')} (all)
  --scenario NAME   one of the scenarios of scripts/agents/scenarios.ts; may be repeated (all)
  --ci              only the scenarios that .ci/run has
  --report FILE     write {"passed", "failed", "skipped"} as JSON
  --write-docs      write what was seen into docs/agents.md

PML_AGENTS_DIR is the folder for installed agents, runs and logs.
`

export function parseAgentsArguments(argv: readonly string[]): AgentsArguments {
  const { values, positionals } = parse(argv)
  const chosen = choose('scenario', scenarios, values.scenario ?? [])
  return {
    agents: choose('agent', agents, positionals),
    scenarios: values.ci === true ? chosen.filter(({ inCi }) => inCi) : chosen,
    report: values.report,
    writesDocs: values['write-docs'] ?? false,
    help: values.help ?? false,
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        scenario: { type: 'string', multiple: true },
        ci: { type: 'boolean' },
        report: { type: 'string' },
        'write-docs': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new PmlError(
      'bad_request',
      `Cannot read the arguments: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** All of them if none is named. */
function choose<One extends { readonly name: string }>(
  what: string,
  all: readonly One[],
  names: readonly string[],
): readonly One[] {
  const unknown = names.find((wanted) => !all.some(({ name }) => name === wanted))
  if (unknown !== undefined) {
    const known = all.map(({ name }) => name).join(', ')
    throw new PmlError('bad_request', `Cannot find the ${what} ${unknown}: expected one of ${known}`)
  }
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
}
