import type { HookEvent } from '../event.ts'
import { type Fields, fieldValue } from './fields.ts'

type Moment = HookEvent['moment']

/** Events after a call; these can no longer be refused. */
const isOver = /^(?:post|after)/i

/**
 * An event with an unknown name that contains a call counts as one before that call: a later version may have
 * renamed it.
 */
export function momentOf(event: Fields, known: ReadonlyMap<string, Moment>, eventName: string): Moment {
  const hasCall = fieldValue(event, 'tool_input') !== undefined && !isOver.test(eventName)
  return known.get(eventName) ?? (hasCall ? 'before-tool' : 'other')
}
