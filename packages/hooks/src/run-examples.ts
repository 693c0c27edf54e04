import { agentNames, type AgentName } from './agents/find-agent.ts'
import { resolve } from 'node:path'
import { decide } from './decide.ts'
import { beforeTool, type ToolCall } from './event.ts'
import type { ShellFacts, ShellPlace } from './shell/words/facts.ts'
import type { World } from './world.ts'
import type { Example, Policy, Rule } from './policy/policy.ts'

export interface ExampleResult {
  readonly rule: string
  readonly example: Example
  readonly expected: 'match' | 'pass'
  readonly ok: boolean
}

type ReadCommand = (command: string, place: ShellPlace) => ShellFacts

const ROOT = '/project'
const HOME = '/home/someone'

/** Runs each rule alone on its own examples. */
export function runExamples(policy: Policy, readCommand: ReadCommand): ExampleResult[] {
  return policy.rules.flatMap((rule) =>
    (['match', 'pass'] as const).flatMap((expected) =>
      (rule.examples[expected] ?? []).map((example) => {
        const found = doesMatch({ ...policy, rules: [rule] }, { rule, example, readCommand })
        return { rule: rule.id, example, expected, ok: found === (expected === 'match') }
      }),
    ),
  )
}

interface Trial {
  readonly rule: Rule
  readonly example: Example
  readonly readCommand: ReadCommand
}

function doesMatch(policy: Policy, { rule, example, readCommand }: Trial): boolean {
  const cwd = 'command' in example && example.cwd !== undefined ? resolve(ROOT, example.cwd) : ROOT
  const agent = rule.agents.find((one) => one !== '*') ?? (agentNames[0] as AgentName)
  const call = callOf(example, rule)
  const event = beforeTool({ agent, cwd, call })
  const shell = call.kind === 'shell' ? readCommand(call.command, { cwd, home: HOME }) : undefined
  const facts = { guarded: [{ root: ROOT, policy }], world: worldOf(example), shell, refusals: [] }
  return decide(event, facts).verdict !== 'pass'
}

/** By the tool that the rule names, where it names one. */
function callOf(example: Example, { tools }: Rule): ToolCall {
  const tool = tools
    .find((name) => !['*', 'write', 'shell', 'mcp', 'spawn'].includes(name))
    ?.replace(/\*$/, 'x')
  if ('command' in example)
    return { kind: 'shell', tool: tool ?? 'Bash', command: example.command, dialect: 'bash' }
  if ('task' in example) return { kind: 'other', tool: 'spawn_worker', input: example }
  return { kind: 'write', tool: tool ?? 'Write', path: example.path, content: example.content }
}

function worldOf(example: Example): World {
  const before = 'path' in example ? example.before : undefined
  const file = 'path' in example ? resolve(ROOT, example.path) : undefined
  return {
    home: HOME,
    readFile: (path) =>
      path === file && before !== undefined ? { kind: 'text', text: before } : { kind: 'missing' },
    realPath: (path) => path,
    otherNames: () => [],
    expand: () => [],
  }
}
