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
 * What one agent's tools leave on disk, byte for byte, as observed; `docs/hooks.md` has the versions. Undefined if unknown, or
 * if the agent refuses.
 */
export interface Writer {
  /** Writes a whole file; the tool may keep the byte order mark or line ends of the existing file. */
  write(overwrite: Overwrite): string | undefined
  /** Applies edits in order to an existing file. */
  edit(text: string, edits: readonly Edit[]): string | undefined
  /** Applies the changes of a patch to an existing file. */
  patch(text: string, hunks: readonly Hunk[]): string | undefined
}

/** Applies a writer's edits in order; stops at the first with an unknown result. */
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
 * Replaces one match, or all of them. Undefined if there is none, or several and only one was meant. Does not use `replace`,
 * where `$&` is special.
 */
export function replaceText(text: string, { before, after, all }: Edit): string | undefined {
  const parts = text.split(before)
  return parts.length === 2 || (all && parts.length > 2) ? parts.join(after) : undefined
}

/** The likely result of edits, for rules to judge; undefined if one of them finds nothing to replace. */
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

/** Does not use `replace`, where `$&` is special. */
function replace(text: string, { before, after, all }: Edit): string {
  if (all) return text.split(before).join(after)
  const at = text.indexOf(before)
  return text.slice(0, at) + after + text.slice(at + before.length)
}
