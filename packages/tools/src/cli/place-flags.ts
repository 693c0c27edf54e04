import type { Issue } from '../check-values.ts'
import { formsOf, type Form, type Parameter } from '../parameters.ts'
import type { FlagKind, GivenFlag, SplitArguments } from './split-arguments.ts'

export interface Given {
  readonly form: Form
  readonly text: string | undefined
}

/** What was written, by the name of the parameter it is for. */
export interface Placed {
  readonly given: ReadonlyMap<string, readonly Given[]>
  readonly issues: Issue[]
}

export function kindOf(form: Form): FlagKind {
  if (form === 'on') return 'boolean'
  return form === 'value' || form === 'file' ? 'value' : 'switch'
}

/** Words fill what is required and not given by a flag, in the order of the schema. */
export function placeFlags(
  { flags, words, issues }: Omit<SplitArguments, 'rest'>,
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
  return { given, issues: [...issues, ...spare.map(unexpected)] }
}

export function isPositional({ isRequired, isArray, type }: Parameter): boolean {
  return isRequired && !isArray && type !== 'boolean'
}

function givenBy({ text }: GivenFlag, form: Form | undefined): Given[] {
  return form === undefined ? [] : [{ form, text }]
}

function unexpected(word: string): Issue {
  return {
    path: [word.slice(0, 60)],
    message: 'no parameter is left for it; name it by a flag, or leave it out',
  }
}
