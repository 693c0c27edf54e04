import type { Expression, CompileExpression, Effect, Match, Operation, Policy, Rule } from './policy.ts'
import type { MatchJson, OperationJson, PolicyJson, RuleJson } from './policy-json.ts'
import { isFixed } from './is-fixed.ts'
import { agents } from '../agents/find-agent.ts'
import { AGENTS, scopeOf } from './scope.ts'

export interface PolicyReading {
  readonly compile: CompileExpression
  /** Folders of `pml` itself. */
  readonly installation: readonly string[]
  /** The base policy; its rules and operations apply unless the file overrides them. */
  readonly base?: Policy
  /** Decisions skip the examples; only test runs read them. */
  readonly examples: 'read' | 'skip'
}

/** Builds a policy from checked or built-in JSON. */
export function makePolicy(json: PolicyJson, file: string, reading: PolicyReading): Policy {
  const { onUnreachable = 'deny', mcp = {}, disabled = [], operations = {}, rules = [] } = json
  const { base, compile } = reading
  const own = Object.entries(operations)
    .filter(([name]) => !name.startsWith('_'))
    .map(([name, operation]) => operationOf(name, operation, compile))
  const made = rules.map((rule) => ruleOf(rule, reading))
  return {
    file,
    onUnreachable,
    mcp: { unlocked: mcp.unlocked ?? 'block', trusted: mcp.trusted ?? [] },
    operations: overlay(base?.operations, own, ({ name }) => name),
    rules: overlay(base?.rules, made, ({ id }) => id).filter(({ id }) => !disabled.includes(id)),
  }
}

/** Items with the same name replace; new ones are appended. */
function overlay<Item>(
  base: readonly Item[] = [],
  over: readonly Item[],
  keyOf: (item: Item) => string,
): Item[] {
  if (base.length === 0) return [...over]
  const replaced = new Map(over.map((item) => [keyOf(item), item]))
  const kept = base.map((item) => {
    const key = keyOf(item)
    const own = replaced.get(key)
    replaced.delete(key)
    return own ?? item
  })
  return [...kept, ...replaced.values()]
}

function operationOf(
  name: string,
  { patterns, ...rest }: OperationJson,
  compile: CompileExpression,
): Operation {
  return { name, ...rest, patterns: patterns.map(compile) }
}

function ruleOf(rule: RuleJson, { compile, installation, examples }: PolicyReading): Rule {
  const { id, description = '', tools = ['*'], agents = ['*'], unknown = 'block', reason, suggestion } = rule
  return {
    id,
    description,
    tools,
    agents,
    isInScope: scopeOf(rule, installation),
    match: rule.match && matchOf(rule.match, compile),
    effect: effectOf(rule.effect),
    unknown,
    onUnapproved: rule.onUnapproved ?? (isHeld(rule) ? 'hold' : 'restore'),
    reason,
    suggestion,
    examples: (examples === 'read' && rule.examples) || {},
  }
}

/** Reports whether a changed file is held for approval; changes to the guard are undone immediately. */
function isHeld({ id, effect }: RuleJson): boolean {
  return effect !== 'block' && 'approval' in effect && !isFixed(id)
}

const none: readonly Expression[] = []

function matchOf(match: MatchJson, compile: CompileExpression): Match {
  const { extensions = [], shebang = false, tests = [], operations = [] } = match
  const expressions = (sources: readonly string[] | undefined) => sources?.map(compile) ?? none
  return {
    extensions: extensions.map((extension) => extension.toLowerCase()),
    shebang,
    content: expressions(match.content),
    added: expressions(match.added),
    removed: expressions(match.removed),
    tests,
    commands: expressions(match.commands?.flatMap(commandsOf)),
    operations,
  }
}

function commandsOf(source: string): readonly string[] {
  return source === AGENTS ? agents.flatMap(({ unhooked = [] }) => unhooked) : [source]
}

function effectOf(effect: RuleJson['effect']): Effect {
  if (effect === 'block') return { kind: 'block' }
  if ('approval' in effect) return { kind: 'approval', specialist: effect.approval }
  return { kind: 'mcp', server: effect.mcp === '*' ? undefined : effect.mcp }
}
