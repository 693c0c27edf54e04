import type { JsonValue } from '../canonical-json.ts'
import { cutAround, sharedStart } from './cut.ts'
import { shortenBlanks, showInvisible } from './show-invisible.ts'

/** Undefined if a side does not have the value. */
export interface Sides {
  readonly before: JsonValue | undefined
  readonly after: JsonValue | undefined
}

const LONGEST_VALUE = 160

/** `"a" -> "b"`; two long values are shown from the first difference. */
export function printValues(before: JsonValue | undefined, after: JsonValue | undefined): string {
  const [old, now] = [before, after].map((value) => (value === undefined ? undefined : JSON.stringify(value)))
  if (old === undefined) return printJson(now ?? '', 0)
  if (now === undefined) return printJson(old, 0)
  const at = sharedStart(old, now)
  return `${printJson(old, at)} -> ${printJson(now, at)}`
}

/** The same, for use inside a sentence. */
export function printDifference({ before, after }: Sides): string {
  const values = printValues(before, after)
  if (before === undefined) return `added: ${values}`
  return after === undefined ? `removed: ${values}` : `changed: ${values}`
}

function printJson(json: string, at: number): string {
  return showInvisible(shortenBlanks(cutAround(json, { at, most: LONGEST_VALUE })))
}
