import { claudeWriter } from './agents/claude/writer.ts'
import { copilotWriter } from './agents/copilot/writer.ts'
import { geminiWriter } from './agents/gemini/writer.ts'
import type { WriterName } from './event.ts'
import { applyHunks } from './writes/apply-hunks.ts'
import { editAll, replaceText, type Writer } from './writes/writer.ts'

/** A tool that does what it is told and knows nothing of line ends; Codex writes whole files so. */
const plainWriter: Writer = {
  write: ({ content }) => content,
  edit: (text, edits) =>
    editAll(text, edits, (current, edit) =>
      edit.before === '' ? (current === '' ? edit.after : undefined) : replaceText(current, edit),
    ),
  patch: applyHunks,
}

/** A tool that nobody has observed: what it writes is known where all that were observed write the same. */
const unobserved: Writer = {
  write: (overwrite) => agreed([claudeWriter, geminiWriter, plainWriter].map((one) => one.write(overwrite))),
  edit: (text, edits) =>
    agreed([claudeWriter, geminiWriter, plainWriter].map((one) => one.edit(text, edits))),
  patch: (text, hunks) => agreed([copilotWriter, plainWriter].map((one) => one.patch(text, hunks))),
}

const writers: Readonly<Record<WriterName, Writer>> = {
  claude: claudeWriter,
  codex: plainWriter,
  copilot: copilotWriter,
  gemini: geminiWriter,
}

export function writerOf(name: WriterName | undefined): Writer {
  return name === undefined ? unobserved : writers[name]
}

function agreed(texts: readonly (string | undefined)[]): string | undefined {
  return texts.every((text) => text === texts[0]) ? texts[0] : undefined
}
