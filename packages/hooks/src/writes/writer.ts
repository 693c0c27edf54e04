import type { Edit } from '../event.ts'
import type { FileContent } from '../world.ts'
import { withCrLf } from './line-ends.ts'
import type { Hunk } from './parse-patch.ts'

export interface Overwrite {
  readonly before: FileContent
  readonly content: string
  readonly isWindows: boolean
}

/**
 * What the tools of one agent leave on disk, byte for byte, as they were seen to do it: `docs/hooks.md` has the versions.
 * Undefined where that cannot be known, or where the agent refuses.
 */
export interface Writer {
  /** The whole content of a file; the tool may keep a mark or the line ends of the file that was there. */
  write(overwrite: Overwrite): string | undefined
  /** Edits, made one after the other, of a file that is there. */
  edit(text: string, edits: readonly Edit[]): string | undefined
  /** The changes that a patch makes to a file that is there. */
  patch(text: string, hunks: readonly Hunk[]): string | undefined
}

/** Makes a writer's edits one after the other; the first that cannot be known ends it. */
export function editAll(
  text: string,
  edits: readonly Edit[],
  editOnce: (text: string, edit: Edit) => string | undefined,
): string | undefined {
  let current: string | undefined = text
  for (const edit of edits) current = current === undefined ? undefined : editOnce(current, edit)
  return current
}

/**
 * The text with one place replaced, or all of them. Undefined where there is none, or several and one was meant. Not by
 * `replace`, to which `$&` means something.
 */
export function replaceText(text: string, { before, after, all }: Edit): string | undefined {
  const parts = text.split(before)
  return parts.length === 2 || (all && parts.length > 2) ? parts.join(after) : undefined
}

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
