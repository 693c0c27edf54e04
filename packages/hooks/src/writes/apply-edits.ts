import type { Edit } from '../event.ts'
import { withCrLf } from './line-ends.ts'
import { editAll } from './writer.ts'

/** What edits likely come to, for rules to judge; undefined where one of them finds nothing to replace. */
export function applyEdits(text: string, edits: readonly Edit[]): string | undefined {
  return editAll(text, edits, applyEdit)
}

function applyEdit(text: string, { before, after, all }: Edit): string | undefined {
  if (before === '') return text === '' ? after : undefined
  if (text.includes(before)) return replace(text, { before, after, all })
  // Some agents send LF and keep the line ends of the file.
  if (!text.includes('\r\n') || !text.includes(withCrLf(before))) return undefined
  return replace(text, { before: withCrLf(before), after: withCrLf(after), all })
}

/** Not by `replace`, to which `$&` means something. */
function replace(text: string, { before, after, all }: Edit): string {
  if (all) return text.split(before).join(after)
  const at = text.indexOf(before)
  return text.slice(0, at) + after + text.slice(at + before.length)
}
