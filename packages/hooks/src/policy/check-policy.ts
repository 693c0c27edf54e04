import { PmlError } from '@pml/core/errors'
import { Checks, type PolicyProblem } from './checks.ts'
import { checkRule } from './check-rule.ts'
import { isFixed } from './is-fixed.ts'
import type { CompileExpression, Policy } from './policy.ts'

interface PolicyChecking {
  readonly compile: CompileExpression
  readonly base?: Policy
  readonly examples: 'read' | 'skip'
}

const topMembers = new Set(['$schema', 'version', 'onUnreachable', 'mcp', 'disabled', 'operations', 'rules'])
const mcpMembers = new Set(['unlocked', 'trusted'])
const operationMembers = new Set(['server', 'label', 'patterns', 'example'])
const namePattern = /^[a-z][a-z0-9_-]{0,31}$/
const MOST_RULES = 2000

/** All problems; a value without any is a `PolicyJson`. */
export function findPolicyProblems(
  value: unknown,
  { compile, base, examples }: PolicyChecking,
): readonly PolicyProblem[] {
  const checks = new Checks()
  const isExpression = (source: string) => findExpressionProblem(source, compile)
  const top = checks.object(value, topMembers)
  if (top['version'] !== 1) checks.report('expected version 1', 'version')
  checks.oneOf(top, 'onUnreachable', ['deny', 'allow'])
  checks.within('mcp', () => {
    const mcp = checks.object(top['mcp'] ?? {}, mcpMembers)
    checks.oneOf(mcp, 'unlocked', ['block', 'allow'])
    checks.texts(mcp, 'trusted')
  })
  const operations = checkOperations(checks, top['operations'] ?? {}, isExpression)
  checks.texts(top, 'disabled', (id) => {
    if (isFixed(id)) return 'expected a rule that can be switched off: this one guards the hooks'
    const isKnown = base?.rules.some((rule) => rule.id === id)
    return isKnown ? undefined : 'expected the id of a built-in rule; see "pml hooks test"'
  })
  const known = new Set([...(base?.operations ?? []).map(({ name }) => name), ...operations])
  checkRules(checks, top, (rule) =>
    checkRule(checks, rule, { known, isExpression, isOverBase: base !== undefined, examples }),
  )
  return checks.problems
}

function checkOperations(
  checks: Checks,
  value: unknown,
  isExpression: (source: string) => string | undefined,
): string[] {
  return checks.within('operations', () => {
    const all = checks.object(value, undefined)
    const names = Object.keys(all).filter((name) => !name.startsWith('_'))
    for (const name of names)
      checks.within(name, () => {
        if (!namePattern.test(name)) checks.report('expected a name in lower case')
        const members = checks.object(all[name], operationMembers)
        checks.text(members, 'server', { most: 64 })
        for (const key of ['label', 'example']) checks.text(members, key)
        if (members['patterns'] === undefined) checks.report('expected a list, got nothing', 'patterns')
        checks.texts(members, 'patterns', isExpression)
      })
    return names
  })
}

function checkRules(
  checks: Checks,
  top: Readonly<Record<string, unknown>>,
  check: (rule: unknown) => string | undefined,
): void {
  const seen = new Set<string>()
  checks.list(top, 'rules', (rule, index) => {
    const id = checks.within(index, () => check(rule))
    if (id === undefined) return
    if (seen.has(id)) checks.report('expected each id once; rename one of them', index, 'id')
    seen.add(id)
    if (seen.size === MOST_RULES + 1) checks.report(`expected at most ${MOST_RULES} rules`)
  })
}

function findExpressionProblem(source: string, compile: CompileExpression): string | undefined {
  try {
    compile(source)
    return undefined
  } catch (error) {
    if (error instanceof PmlError) return error.message
    throw error
  }
}
