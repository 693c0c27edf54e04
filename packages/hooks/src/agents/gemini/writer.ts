import type { ObservedWriter } from '../../description/agent.ts'
import type { Edit } from '../../event.ts'
import { applyHunks } from '../../writes/apply-hunks.ts'
import { withLf } from '../../writes/line-ends.ts'
import { editAll, replaceText, type Overwrite } from '../../writes/writer.ts'

/** Gemini CLI: `write_file` and `replace`. It has no patch tool; patches are applied as Codex does. */
export const writer: ObservedWriter = { write, edit, patch: applyHunks, standsFor: ['write', 'edit'] }

/** A file with one CRLF gets CRLF everywhere, and so does a new file on Windows. */
function write({ before, content, isWindows }: Overwrite): string | undefined {
  if (before.kind === 'unknown' && before.isThere) return undefined
  const hasCrLf = before.kind === 'text' && before.text !== '' ? before.text.includes('\r\n') : isWindows
  return hasCrLf ? crLfEverywhere(content) : content
}

/**
 * Keeps whether the file ends with a line end. Text without an exact match is searched loosely, so the result is
 * unknown.
 */
function edit(text: string, edits: readonly Edit[]): string | undefined {
  const edited = editAll(withLf(text), edits, (current, { before, after, all }) => {
    if (before === '') return undefined
    const replaced = replaceText(current, { before: withLf(before), after: withLf(after), all })
    return replaced === undefined ? undefined : endLike(current, replaced)
  })
  return edited !== undefined && text.includes('\r\n') ? crLfEverywhere(edited) : edited
}

function endLike(original: string, text: string): string {
  if (original.endsWith('\n')) return text.endsWith('\n') ? text : `${text}\n`
  return text.endsWith('\n') ? text.slice(0, -1) : text
}

function crLfEverywhere(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n')
}
