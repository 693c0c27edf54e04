import { isJsonObject, type JsonObject } from '../event.ts'

type Key = string | number

export interface PolicyProblem {
  readonly place: readonly Key[]
  readonly message: string
}

type Members = JsonObject

interface Length {
  readonly least?: number
  readonly most?: number
}

/**
 * Walks JSON and collects all problems for one error. A schema library takes longer to load than a decision may
 * take.
 */
export class Checks {
  readonly problems: PolicyProblem[] = []
  readonly #place: Key[] = []

  report(message: string, ...below: readonly Key[]): void {
    this.problems.push({ place: [...this.#place, ...below], message })
  }

  within<Result>(key: Key, work: () => Result): Result {
    this.#place.push(key)
    try {
      return work()
    } finally {
      this.#place.pop()
    }
  }

  /** Unknown members are problems: a typo must not drop a rule. Keys that start with `_` are comments. */
  object(value: unknown, known: ReadonlySet<string> | undefined): Members {
    if (!isJsonObject(value)) {
      this.report(`expected an object, got ${kindOf(value)}`)
      return {}
    }
    for (const key in value)
      if (known && !known.has(key) && !key.startsWith('_'))
        this.report(`expected one of ${[...known].join(', ')}; rename or remove it`, key)
    return value
  }

  text(members: Members, key: string, length?: Length): void {
    this.#text(members[key], key, length)
  }

  optionalText(members: Members, key: string, length?: Length): void {
    if (members[key] !== undefined) this.text(members, key, length)
  }

  oneOf(members: Members, key: string, choices: readonly string[]): void {
    const value = members[key]
    if (value !== undefined && !choices.includes(value as string))
      this.report(`expected ${choices.join(', ')}, got ${shown(value)}`, key)
  }

  flag(members: Members, key: string): void {
    const value = members[key]
    if (value !== undefined && typeof value !== 'boolean')
      this.report(`expected true or false, got ${kindOf(value)}`, key)
  }

  /** Does nothing without a list. */
  list(members: Members, key: string, check: (item: unknown, index: number) => void): void {
    const value = members[key]
    if (value === undefined) return
    if (Array.isArray(value)) this.within(key, () => value.forEach(check))
    else this.report(`expected a list, got ${kindOf(value)}`, key)
  }

  /** `check` returns the problem of a string, if any. */
  texts(members: Members, key: string, check?: (text: string) => string | undefined, length?: Length): void {
    this.list(members, key, (item, index) => {
      const problem = this.#text(item, index, length) ? check?.(item as string) : undefined
      if (problem !== undefined) this.report(problem, index)
    })
  }

  #text(value: unknown, key: Key, { least = 1, most = 2000 }: Length = {}): boolean {
    if (typeof value === 'string' && value.length >= least && value.length <= most) return true
    const got = typeof value === 'string' ? `${value.length}` : kindOf(value)
    this.report(`expected text of ${least} to ${most} characters, got ${got}`, key)
    return false
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
