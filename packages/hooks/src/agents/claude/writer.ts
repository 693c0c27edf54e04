import type { ObservedWriter } from '../../description/agent.ts'
import type { Edit } from '../../event.ts'
import { applyHunks } from '../../writes/apply-hunks.ts'
import { BOM, countLineEnds, withCrLf, withLf } from '../../writes/line-ends.ts'
import { editAll, replaceText, type Overwrite } from '../../writes/writer.ts'

/** Line ends are counted in the first characters of the file, up to this many. */
const SAMPLE_CHARACTERS = 4096

/** Claude Code: `Write` and `Edit`. It has no patch tool; patches are applied as Codex does. */
export const writer: ObservedWriter = { write, edit, patch: applyHunks, standsFor: ['write', 'edit'] }

/** Keeps a byte order mark but not the line ends. A UTF-16 file stays UTF-16, which counts as unknown here. */
function write({ before, content }: Overwrite): string | undefined {
  if (before.kind === 'unknown' && before.isThere) return undefined
  const hadMark = before.kind === 'text' && before.text.startsWith(BOM)
  return hadMark && content !== '' && !content.startsWith(BOM) ? BOM + content : content
}

/** The file is edited with LF, and written as a whole with the line ends that most of its first lines have. */
function edit(text: string, edits: readonly Edit[]): string | undefined {
  const mark = text.startsWith(BOM) ? BOM : ''
  const edited = editAll(withLf(text.slice(mark.length)), edits, editOnce)
  if (edited === undefined) return undefined
  const { crLf, lf } = countLineEnds(text.slice(0, SAMPLE_CHARACTERS))
  return mark + (crLf > lf ? withCrLf(edited) : edited)
}

function editOnce(text: string, edit: Edit): string | undefined {
  const { before, after, all } = edit
  if (before === '') return text.trim() === '' ? after : undefined
  const line = `${before}\n`
  const takesLine = after === '' && !before.endsWith('\n') && text.includes(line)
  const replaced = replaceText(text, edit)
  return takesLine && replaced !== undefined ? replaceText(text, { before: line, after, all }) : replaced
}
