import type { Edit } from '../event.ts'

/** The text after the edits, made one after the other; undefined where one of them finds nothing to replace. */
export function applyEdits(text: string, edits: readonly Edit[]): string | undefined {
  let current: string | undefined = text
  for (const edit of edits) current = current === undefined ? undefined : applyEdit(current, edit)
  return current
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

function withCrLf(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n')
}
