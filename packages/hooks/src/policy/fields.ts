export type Place = readonly (string | number)[]

export interface PolicyProblem {
  readonly place: Place
  readonly message: string
}

type Members = Readonly<Record<string, unknown>>

/**
 * Reads values out of JSON and remembers what is wrong with them, so that one error can name everything. A library of
 * schemas would take longer to load than the whole decision may take.
 */
export class Fields {
  readonly problems: PolicyProblem[] = []

  report(place: Place, message: string): void {
    this.problems.push({ place, message })
  }

  /** A member that is not known is a problem: a typo must never drop a rule. Keys that start with `_` are comments. */
  object(value: unknown, place: Place, known: readonly string[]): Members {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.report(place, `expected an object, got ${kindOf(value)}`)
      return {}
    }
    for (const key of Object.keys(value))
      if (!known.includes(key) && !key.startsWith('_'))
        this.report([...place, key], `expected one of ${known.join(', ')}; rename or remove it`)
    return value as Members
  }

  text(value: unknown, place: Place, { most = 2000, least = 1 } = {}): string {
    if (typeof value === 'string' && value.length >= least && value.length <= most) return value
    const got = typeof value === 'string' ? `${value.length}` : kindOf(value)
    this.report(place, `expected text of ${least} to ${most} characters, got ${got}`)
    return ''
  }

  optionalText(value: unknown, place: Place): string {
    return value === undefined ? '' : this.text(value, place)
  }

  oneOf<Choice extends string>(
    value: unknown,
    place: Place,
    { choices, otherwise }: { choices: readonly Choice[]; otherwise: Choice },
  ): Choice {
    if (value === undefined) return otherwise
    const found = choices.find((choice) => choice === value)
    if (found === undefined) this.report(place, `expected ${choices.join(', ')}, got ${shown(value)}`)
    return found ?? otherwise
  }

  flag(value: unknown, place: Place): boolean {
    if (value !== undefined && typeof value !== 'boolean')
      this.report(place, `expected true or false, got ${kindOf(value)}`)
    return value === true
  }

  /** Nothing where there is no list. */
  list<Item>(value: unknown, place: Place, read: (item: unknown, place: Place) => Item): Item[] {
    if (value === undefined) return []
    if (!Array.isArray(value)) {
      this.report(place, `expected a list, got ${kindOf(value)}`)
      return []
    }
    return value.map((item, index) => read(item, [...place, index]))
  }

  texts(value: unknown, place: Place): string[] {
    return this.list(value, place, (item, at) => this.text(item, at))
  }
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : kindOf(value)
}
