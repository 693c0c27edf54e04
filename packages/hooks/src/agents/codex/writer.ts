import type { ObservedWriter } from '../../description/agent.ts'
import { applyHunks } from '../../writes/apply-hunks.ts'
import { editAll, replaceText } from '../../writes/writer.ts'

/** Codex: `apply_patch`. Writes and edits are applied literally, without regard to line ends. */
export const writer: ObservedWriter = {
  write: ({ content }) => content,
  edit: (text, edits) =>
    editAll(text, edits, (current, edit) =>
      edit.before === '' ? (current === '' ? edit.after : undefined) : replaceText(current, edit),
    ),
  patch: applyHunks,
  standsFor: ['write', 'edit', 'patch'],
}
