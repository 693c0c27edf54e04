import type { Issue } from '../check-values.ts'
import { formsOf, type Form, type Parameter } from '../parameters.ts'
import type { Command } from '../ready-tool.ts'
import type { FlagKind, GivenFlag, SplitArguments } from './split-arguments.ts'

export interface Given {
  readonly form: Form
  readonly text: string | undefined
}

/** The given texts by parameter name. */
interface Placed {
  readonly given: ReadonlyMap<string, readonly Given[]>
  readonly issues: Issue[]
}

export function kindOf(form: Form): FlagKind {
  if (form === 'on') return 'boolean'
  return form === 'value' || form === 'file' ? 'value' : 'switch'
}

interface Written extends Omit<SplitArguments, 'rest'> {
  readonly command: Pick<Command, 'rest'>
}

/** Words fill required parameters without a flag, in schema order; the list takes the rest. */
export function placeFlags(
  { flags, words, issues, command }: Written,
  parameters: readonly Parameter[],
): Placed {
  const given = new Map<string, Given[]>()
  for (const parameter of parameters) {
    const forms = new Map(formsOf(parameter))
    const mine = flags.flatMap((flag) => givenBy(flag, forms.get(flag.flag)))
    if (mine.length > 0) given.set(parameter.name, mine)
  }
  const open = parameters.filter((parameter) => isPositional(parameter) && !given.has(parameter.name))
  for (const [index, text] of words.slice(0, open.length).entries())
    given.set(open[index]?.name ?? '', [{ form: 'value', text }])
  const spare = words.slice(open.length)
  const rest = parameters.find(({ name }) => name === command.rest)
  if (!rest || spare.length === 0) return { given, issues: [...issues, ...spare.map(unexpected)] }
  if (given.has(rest.name)) return { given, issues: [...issues, givenTwice(rest)] }
  given.set(
    rest.name,
    spare.map((text) => ({ form: 'value', text })),
  )
  return { given, issues: [...issues] }
}

export function isPositional({ isRequired, isArray, type }: Parameter): boolean {
  return isRequired && !isArray && type !== 'boolean'
}

function givenBy({ text }: GivenFlag, form: Form | undefined): Given[] {
  return form === undefined ? [] : [{ form, text }]
}

function givenTwice({ name, flag }: Parameter): Issue {
  return { path: [name], message: `expected words or --${flag}, got both` }
}

function unexpected(word: string): Issue {
  return {
    path: [word.slice(0, 60)],
    message: 'no parameter takes this word; use a flag, or remove it',
  }
}
