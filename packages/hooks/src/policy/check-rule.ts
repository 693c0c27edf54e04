import { findGlobProblem } from '@pml/core/path-glob'
import { agentNames } from '../agents/find-agent.ts'
import { isJsonObject } from '../event.ts'
import type { Checks } from './checks.ts'
import { isFixed } from './is-fixed.ts'
import { testChecks } from './policy.ts'
import { AGENTS, INSTALLATION } from './scope.ts'

interface RuleChecking {
  /** Names of operations. */
  readonly known: ReadonlySet<string>
  isExpression(source: string): string | undefined
  /** The file extends the built-in rules, some of which are fixed. */
  readonly isOverBase: boolean
  readonly examples: 'read' | 'skip'
}

const ruleMembers = new Set([
  'id',
  'description',
  'tools',
  'agents',
  'paths',
  'except',
  'match',
  'effect',
  'unknown',
  'onUnapproved',
  'reason',
  'suggestion',
  'examples',
])
const expressionMembers = ['content', 'added', 'removed', 'commands']
const matchMembers = new Set(['extensions', 'shebang', ...expressionMembers, 'tests', 'operations'])
const knownTestChecks: readonly string[] = testChecks
const effectMembers = new Set(['approval', 'mcp'])
const exampleMembers = new Set(['path', 'content', 'before', 'command', 'cwd', 'task', 'servers'])
const agents: readonly string[] = ['*', ...agentNames]
const idPattern = /^[A-Z][A-Z0-9_]{1,63}$/
const namePattern = /^[A-Za-z][A-Za-z0-9 _-]{0,63}$/
const EFFECT = 'expected "block", {"approval": "<specialist>"} or {"mcp": "<server>"}'

/** Returns the id if valid. */
export function checkRule(checks: Checks, value: unknown, checking: RuleChecking): string | undefined {
  const rule = checks.object(value, ruleMembers)
  const { id } = rule
  const isId = typeof id === 'string' && idPattern.test(id)
  if (!isId) checks.report('expected an id such as NO_SCRIPTS', 'id')
  else if (checking.isOverBase && isFixed(id))
    checks.report('expected another id: rules that start with GUARD_ are built in', 'id')
  else if (id.startsWith('MCP_'))
    checks.report('expected another id: MCP_ is for what the lockfile says', 'id')
  for (const key of ['reason', 'suggestion']) checks.text(rule, key)
  checks.optionalText(rule, 'description')
  checks.texts(rule, 'tools')
  checks.texts(rule, 'agents', (name) =>
    agents.includes(name) ? undefined : `expected ${agents.join(', ')}`,
  )
  for (const key of ['paths', 'except']) checks.texts(rule, key, findPathProblem, { most: 200 })
  checks.oneOf(rule, 'unknown', ['block', 'ask', 'allow'])
  checks.oneOf(rule, 'onUnapproved', ['restore', 'hold'])
  if (rule['match'] !== undefined) checks.within('match', () => checkMatch(checks, rule['match'], checking))
  checks.within('effect', () => checkEffect(checks, rule['effect']))
  if (checking.examples === 'read' && rule['examples'] !== undefined)
    checks.within('examples', () => checkExamples(checks, rule['examples']))
  return isId ? id : undefined
}

function findPathProblem(glob: string): string | undefined {
  return glob === AGENTS || glob.startsWith(INSTALLATION) ? undefined : findGlobProblem(glob)
}

function checkMatch(checks: Checks, value: unknown, { known, isExpression }: RuleChecking): void {
  const match = checks.object(value, matchMembers)
  checks.texts(match, 'extensions', (extension) =>
    extension.startsWith('.') ? undefined : 'expected an extension with its dot, such as ".js"',
  )
  checks.flag(match, 'shebang')
  for (const key of expressionMembers)
    checks.texts(match, key, (source) =>
      key === 'commands' && source === AGENTS ? undefined : isExpression(source),
    )
  checks.texts(match, 'tests', (name) =>
    knownTestChecks.includes(name) ? undefined : `expected one of ${testChecks.join(', ')}`,
  )
  checks.texts(match, 'operations', (name) =>
    name === '*' || known.has(name) ? undefined : 'expected * or the name of an operation',
  )
  const isEmpty = Object.values(match).every(
    (part) => part === false || (Array.isArray(part) && part.length === 0),
  )
  if (isEmpty) checks.report('expected something to match; leave "match" out to match everything')
}

function checkEffect(checks: Checks, value: unknown): void {
  if (value === 'block') return
  if (!isJsonObject(value)) return checks.report(EFFECT)
  const effect = checks.object(value, effectMembers)
  if ((effect['approval'] === undefined) === (effect['mcp'] === undefined)) return checks.report(EFFECT)
  checks.optionalText(effect, 'mcp', { most: 64 })
  const { approval } = effect
  if (approval !== undefined && (typeof approval !== 'string' || !namePattern.test(approval)))
    checks.report('expected the name of a specialist', 'approval')
}

function checkExamples(checks: Checks, value: unknown): void {
  const examples = checks.object(value, new Set(['match', 'pass']))
  for (const key of ['match', 'pass'])
    checks.list(examples, key, (example, index) => checks.within(index, () => checkExample(checks, example)))
}

function checkExample(checks: Checks, value: unknown): void {
  const example = checks.object(value, exampleMembers)
  const length = { least: 0, most: 20_000 }
  const text = (key: string) => checks.text(example, key, length)
  if (example['command'] !== undefined) text('command')
  else if (example['task'] !== undefined) {
    text('task')
    checks.texts(example, 'servers')
    if (example['servers'] === undefined) checks.report('expected a list, got nothing', 'servers')
  } else ['path', 'content'].forEach(text)
  for (const key of ['before', 'cwd']) checks.optionalText(example, key, length)
}
