import { PmlError } from '@pml/core/errors'
import { agentNames } from '../event.ts'
import type { Fields, Place } from './fields.ts'
import type { CompileExpression, Effect, Example, Expression, Match, Rule } from './policy.ts'
import { scopeOf } from './scope.ts'

export interface RuleReading {
  readonly compile: CompileExpression
  /** Folders of `pml` itself. */
  readonly installation: readonly string[]
  /** Names of operations. */
  readonly known: ReadonlySet<string>
}

const ruleMembers = [
  'id',
  'description',
  'tools',
  'agents',
  'paths',
  'except',
  'match',
  'effect',
  'unknown',
  'reason',
  'suggestion',
  'examples',
]
const matchMembers = ['extensions', 'shebang', 'content', 'added', 'removed', 'commands', 'operations']
const idPattern = /^[A-Z][A-Z0-9_]{1,63}$/
const namePattern = /^[A-Za-z][A-Za-z0-9 _-]{0,63}$/

export function ruleOf(fields: Fields, value: unknown, reading: RuleReading & { place: Place }): Rule {
  const { place } = reading
  const members = fields.object(value, place, ruleMembers)
  const at = (name: string) => [...place, name]
  const id = fields.text(members['id'], at('id'))
  if (id !== '' && !idPattern.test(id)) fields.report(at('id'), 'expected an id such as NO_SCRIPTS')
  return {
    id,
    description: fields.optionalText(members['description'], at('description')),
    tools: members['tools'] === undefined ? ['*'] : fields.texts(members['tools'], at('tools')),
    agents: members['agents'] === undefined ? ['*'] : agentsOf(fields, members['agents'], at('agents')),
    isInScope: scopeOf(fields, members, reading),
    match: members['match'] === undefined ? undefined : matchOf(fields, members['match'], reading),
    effect: ruleEffectOf(fields, members['effect'], at('effect')),
    unknown: fields.oneOf(members['unknown'], at('unknown'), {
      choices: ['block', 'ask', 'allow'],
      otherwise: 'block',
    }),
    reason: fields.text(members['reason'], at('reason')),
    suggestion: fields.text(members['suggestion'], at('suggestion')),
    examples: examplesOf(fields, members['examples'], at('examples')),
  }
}

function agentsOf(fields: Fields, value: unknown, place: Place): Rule['agents'] {
  const choices = ['*', ...agentNames] as const
  return fields.list(value, place, (item, at) => fields.oneOf(item, at, { choices, otherwise: '*' }))
}

function matchOf(fields: Fields, value: unknown, reading: RuleReading & { place: Place }): Match {
  const place = [...reading.place, 'match']
  const members = fields.object(value, place, matchMembers)
  const expressions = (name: string) =>
    expressionsOf(fields, members[name], { ...reading, place: [...place, name] })
  const match: Match = {
    extensions: fields.list(members['extensions'], [...place, 'extensions'], (item, at) => {
      const extension = fields.text(item, at)
      if (!extension.startsWith('.')) fields.report(at, 'expected an extension with its dot, such as ".js"')
      return extension.toLowerCase()
    }),
    shebang: fields.flag(members['shebang'], [...place, 'shebang']),
    content: expressions('content'),
    added: expressions('added'),
    removed: expressions('removed'),
    commands: expressions('commands'),
    operations: fields.list(members['operations'], [...place, 'operations'], (item, at) => {
      const name = fields.text(item, at)
      if (name !== '*' && !reading.known.has(name))
        fields.report(at, 'expected * or the name of an operation')
      return name
    }),
  }
  const isEmpty = Object.values(match).every(
    (part) => part === false || (Array.isArray(part) && part.length === 0),
  )
  if (isEmpty) fields.report(place, 'expected something to match; leave "match" out to match everything')
  return match
}

function ruleEffectOf(fields: Fields, value: unknown, place: Place): Effect {
  if (value === 'block') return { kind: 'block' }
  if (typeof value !== 'object') {
    fields.report(place, 'expected "block", {"approval": "<specialist>"} or {"mcp": "<server>"}')
    return { kind: 'block' }
  }
  const members = fields.object(value, place, ['approval', 'mcp'])
  const { approval, mcp } = members
  if ((approval === undefined) === (mcp === undefined))
    fields.report(place, 'expected approval or mcp, one of them')
  if (mcp !== undefined) {
    const server = fields.text(mcp, [...place, 'mcp'], { most: 64 })
    return { kind: 'mcp', server: server === '*' ? undefined : server }
  }
  const specialist = fields.text(approval, [...place, 'approval'], { most: 64 })
  if (specialist !== '' && !namePattern.test(specialist))
    fields.report([...place, 'approval'], 'expected the name of a specialist')
  return { kind: 'approval', specialist }
}

function examplesOf(fields: Fields, value: unknown, place: Place): Rule['examples'] {
  const members = fields.object(value ?? {}, place, ['match', 'pass'])
  const read = (name: string) =>
    fields.list(members[name], [...place, name], (item, at) => exampleOf(fields, item, at))
  return { match: read('match'), pass: read('pass') }
}

function exampleOf(fields: Fields, value: unknown, place: Place): Example {
  const members = fields.object(value, place, [
    'path',
    'content',
    'before',
    'command',
    'cwd',
    'task',
    'servers',
  ])
  const text = (name: string) => fields.text(members[name], [...place, name], { least: 0, most: 20_000 })
  const optional = (name: string) => (members[name] === undefined ? {} : { [name]: text(name) })
  if (members['command'] !== undefined) return { command: text('command'), ...optional('cwd') }
  if (members['task'] !== undefined)
    return { task: text('task'), servers: fields.texts(members['servers'], [...place, 'servers']) }
  return { path: text('path'), content: text('content'), ...optional('before') }
}

export function expressionsOf(
  fields: Fields,
  value: unknown,
  { place, compile }: { place: Place; compile: CompileExpression },
): Expression[] {
  return fields.list(value, place, (item, at) => {
    const source = fields.text(item, at)
    try {
      return compile(source)
    } catch (error) {
      if (!(error instanceof PmlError)) throw error
      fields.report(at, error.message)
      return { source, test: () => true, count: () => 0 }
    }
  })
}
