import type { JsonValue } from '../canonical-json.ts'
import { joinPath } from './diff-fields.ts'
import { isObject, memberOf, sameJson } from './json.ts'
import { printDifference, type Sides } from './print-values.ts'
import type { ServerFinding } from './server-change.ts'

interface Hint {
  /** The defaults of the protocol. */
  readonly byDefault: boolean
  /** The value that promises more safety. */
  readonly harmless: boolean
  readonly lost: string
}

const hints: ReadonlyMap<string, Hint> = new Map([
  ['readOnlyHint', { byDefault: false, harmless: true, lost: 'no longer says that it only reads' }],
  ['destructiveHint', { byDefault: true, harmless: false, lost: 'no longer says that it destroys nothing' }],
  ['idempotentHint', { byDefault: false, harmless: true, lost: 'no longer says that it may be repeated' }],
  [
    'openWorldHint',
    { byDefault: true, harmless: false, lost: 'no longer says that it stays in a closed world' },
  ],
])

export type Found = Omit<ServerFinding, 'subject'>

/** Compares a tool's own safety hints: weaker ones are an escalation, stronger ones an unverified promise. */
export function describeAnnotations({ before, after }: Sides): Found[] {
  if (sameJson(before, after)) return []
  const keys = [before, after].flatMap((side) => (isObject(side) ? Object.keys(side) : []))
  const found = [...new Set(keys)].sort().flatMap((key): Found[] => {
    const sides = { before: memberOf(before, key), after: memberOf(after, key) }
    return sameJson(sides.before, sides.after) ? [] : [describeAnnotation(key, sides)]
  })
  if (found.length > 0) return found
  return [
    {
      kind: 'annotation_changed',
      severity: 'info',
      message: `annotations ${printDifference({ before, after })}`,
    },
  ]
}

function describeAnnotation(key: string, sides: Sides): Found {
  const shown = `${joinPath('annotations', key)} ${printDifference(sides)}`
  if (key === 'title') return { kind: 'title_changed', severity: 'info', message: shown }
  const hint = hints.get(key)
  const [old, now] = [sides.before, sides.after].map((value) => hint && isHarmless(hint, value))
  if (old === now) return { kind: 'annotation_changed', severity: 'info', message: shown }
  return now === true
    ? { kind: 'annotation_changed', severity: 'warning', message: `claims to be safer than before: ${shown}` }
    : { kind: 'annotation_escalated', severity: 'danger', message: `${hint?.lost}: ${shown}` }
}

function isHarmless({ byDefault, harmless }: Hint, value: JsonValue | undefined): boolean {
  return (typeof value === 'boolean' ? value : byDefault) === harmless
}
