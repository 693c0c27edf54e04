import type { InlineCode, ShellFacts, ShellWrite } from './facts.ts'
import { isKnown, readable } from './holes.ts'
import { TooMuch } from './shell.ts'

const MOST_WRITES = 2000

/** Collects facts in the order in which they are found. */
export interface FactRecord {
  write(write: ShellWrite): void
  command(words: readonly string[]): void
  code(language: string, text: string): void
  unknown(sentence: string): void
  facts(): ShellFacts
}

export function createRecord(): FactRecord {
  const writes: ShellWrite[] = []
  /** A loop that is read twice does the same again; a file that is written, removed and written is another thing. */
  const last = new Map<string, string>()
  const commands = new Set<string>()
  const code = new Map<string, InlineCode>()
  const unknowns = new Set<string>()
  return {
    write(write) {
      const file = write.path ?? `? ${write.written}`
      const content = JSON.stringify(write.content)
      if (last.get(file) === content && write.content.kind !== 'append') return
      last.set(file, content)
      writes.push(write)
      if (writes.length > MOST_WRITES) throw new TooMuch()
    },
    command: (words) => {
      commands.add(
        words.map((word) => (isKnown(word) && !word.startsWith('/dev/fd/pipe') ? word : '?')).join(' '),
      )
    },
    code: (language, text) => {
      code.set(`${language} ${text}`, { language, text: readable(text) })
    },
    unknown: (sentence) => {
      unknowns.add(sentence)
    },
    facts: () => ({
      writes: [...writes],
      commands: [...commands],
      code: [...code.values()],
      unknowns: [...unknowns],
    }),
  }
}
