import type { HookEvent } from '../event.ts'
import { type Fields, fieldValue } from './fields.ts'

type Moment = HookEvent['moment']

/** What comes after a call cannot be refused any more. */
const isOver = /^(?:post|after)/i

/**
 * An event of a name that this version does not know, and that has a call in it, is taken for one before that call: a later
 * version may have renamed it.
 */
export function momentOf(event: Fields, known: ReadonlyMap<string, Moment>, eventName: string): Moment {
  const hasCall = fieldValue(event, 'tool_input') !== undefined && !isOver.test(eventName)
  return known.get(eventName) ?? (hasCall ? 'before-tool' : 'other')
}
