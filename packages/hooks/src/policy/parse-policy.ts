import { PmlError } from '@pml/core/errors'
import { Fields, type PolicyProblem } from './fields.ts'
import { findRepeatedKey } from './json-keys.ts'
import { expressionsOf, ruleOf, type RuleReading } from './parse-rule.ts'
import type { CompileExpression, Operation, Policy, Rule } from './policy.ts'

export interface PolicyReading {
  readonly compile: CompileExpression
  /** Folders of `pml` itself. */
  readonly installation: readonly string[]
  /** What the file stands on: its rules and operations hold where the file has none of their name. */
  readonly base?: Policy
}

const topMembers = ['$schema', 'version', 'onUnreachable', 'mcp', 'disabled', 'operations', 'rules']
const operationMembers = ['server', 'label', 'patterns', 'example']
const MOST_RULES = 2000
const MOST_PROBLEMS = 20

/** Throws `invalid_config` with `problems`, each with its place in the JSON; `explainProblems` finds lines and columns. */
export function parsePolicy(text: string, file: string, reading: PolicyReading): Policy {
  const fields = new Fields()
  const top = fields.object(parseJson(text, file), [], topMembers)
  if (top['version'] !== 1) fields.report(['version'], 'expected version 1')
  const base = reading.base
  const mcp = fields.object(top['mcp'] ?? {}, ['mcp'], ['unlocked', 'trusted'])
  const operations = operationsOf(fields, top['operations'], reading)
  const known = new Set([...(base?.operations ?? []), ...operations].map(({ name }) => name))
  const rules = rulesOf(fields, top['rules'], { ...reading, known })
  const disabled = disabledOf(fields, top['disabled'], base)
  const policy: Policy = {
    file,
    onUnreachable: fields.oneOf(top['onUnreachable'], ['onUnreachable'], {
      choices: ['deny', 'allow'],
      otherwise: 'deny',
    }),
    mcp: {
      unlocked: fields.oneOf(mcp['unlocked'], ['mcp', 'unlocked'], {
        choices: ['block', 'allow'],
        otherwise: 'block',
      }),
      trusted: fields.texts(mcp['trusted'], ['mcp', 'trusted']),
    },
    operations: overlay(base?.operations, operations, ({ name }) => name),
    rules: overlay(base?.rules, rules, ({ id }) => id).filter(({ id }) => !disabled.has(id)),
  }
  for (const rule of rules) requireReplaceable(fields, rule, { base, rules })
  if (fields.problems.length > 0) throw problemsError(file, fields.problems)
  return policy
}

/** What guards the guard: no file switches it off or puts another rule in its place. */
export function isFixed(id: string): boolean {
  return id.startsWith('GUARD_')
}

function requireReplaceable(
  fields: Fields,
  { id }: Rule,
  { base, rules }: { base: Policy | undefined; rules: readonly Rule[] },
): void {
  const index = rules.findIndex((rule) => rule.id === id)
  if (base && isFixed(id))
    fields.report(['rules', index, 'id'], 'expected another id: rules that start with GUARD_ are built in')
}

function disabledOf(fields: Fields, value: unknown, base: Policy | undefined): ReadonlySet<string> {
  const ids = fields.list(value, ['disabled'], (item, at) => {
    const id = fields.text(item, at)
    if (isFixed(id)) fields.report(at, 'expected a rule that can be switched off: this one guards the hooks')
    else if (!base?.rules.some((rule) => rule.id === id))
      fields.report(at, 'expected the id of a built-in rule; see "pml hooks test"')
    return id
  })
  return new Set(ids)
}

function overlay<Item>(
  base: readonly Item[] = [],
  over: readonly Item[],
  keyOf: (item: Item) => string,
): Item[] {
  const replaced = new Map(over.map((item) => [keyOf(item), item]))
  const kept = base.map((item) => {
    const key = keyOf(item)
    const own = replaced.get(key)
    replaced.delete(key)
    return own ?? item
  })
  return [...kept, ...replaced.values()]
}

function operationsOf(fields: Fields, value: unknown, reading: PolicyReading): Operation[] {
  const all = fields.object(value ?? {}, ['operations'], Object.keys(value ?? {}))
  return Object.entries(all)
    .filter(([name]) => !name.startsWith('_'))
    .map(([name, one]) => {
      const place = ['operations', name]
      const members = fields.object(one, place, operationMembers)
      if (!/^[a-z][a-z0-9_-]{0,31}$/.test(name)) fields.report(place, 'expected a name in lower case')
      return {
        name,
        server: fields.text(members['server'], [...place, 'server'], { most: 64 }),
        label: fields.text(members['label'], [...place, 'label']),
        patterns: expressionsOf(fields, members['patterns'], { place: [...place, 'patterns'], ...reading }),
        example: fields.text(members['example'], [...place, 'example']),
      }
    })
}

function rulesOf(fields: Fields, value: unknown, reading: RuleReading): Rule[] {
  const rules = fields.list(value, ['rules'], (item, place) => ruleOf(fields, item, { place, ...reading }))
  if (rules.length > MOST_RULES) fields.report(['rules'], `expected at most ${MOST_RULES} rules`)
  const seen = new Set<string>()
  rules.forEach(({ id }, index) => {
    if (seen.has(id)) fields.report(['rules', index, 'id'], 'expected each id once; rename one of them')
    seen.add(id)
  })
  return rules
}

function parseJson(text: string, file: string): unknown {
  const plain = text.startsWith('\u{feff}') ? text.slice(1) : text
  const value = tryJson(plain, file)
  const repeated = findRepeatedKey(plain)
  if (repeated === undefined) return value
  const message = `expected each key once, got "${repeated.slice(0, 40)}" twice; remove one of them`
  throw problemsError(file, [{ place: [], message }])
}

function tryJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw problemsError(file, [{ place: [], message: `expected JSON: ${(error as Error).message}` }])
  }
}

function problemsError(file: string, problems: readonly PolicyProblem[]): PmlError {
  const sentences = problems.map(({ place, message }) =>
    place.length === 0 ? message : `${place.join('.')}: ${message}`,
  )
  const message = `Cannot read ${file}: ${sentences.slice(0, MOST_PROBLEMS).join('; ')}`
  return new PmlError('invalid_config', message, { problems })
}
