import type { InlineCode, ShellFacts, ShellWrite } from './words/facts.ts'
import { isKnown, readable } from './words/holes.ts'
import { givenTo, mentionedWrites, type Act } from './mentions.ts'
import { TooMuch, type Folder } from './words/shell.ts'

const MOST_WRITES = 2000
const LONGEST_SESSION = 200
const MOST_ACTS = 2000

/** Collects facts in order. */
export interface FactRecord {
  write(write: ShellWrite): void
  command(words: readonly string[], folders: readonly Folder[]): void
  code(language: string, text: string): void
  /** Text that may contain file names. */
  text(text: string): void
  /** A program runs that may write the files named to it. */
  act(act: Act): void
  /** A command that runs what is typed into it. */
  session(words: readonly string[]): void
  unknown(sentence: string): void
  /** Something was not read; the sentence says why. */
  giveUp(sentence: string): void
  facts(): ShellFacts
}

export function createRecord(): FactRecord {
  const writes: ShellWrite[] = []
  /** A loop that is read twice repeats its writes; a file that is written, removed and written counts again. */
  const last = new Map<string, string>()
  const commands = new Map<string, Set<string>>()
  const code = new Map<string, InlineCode>()
  const sessions = new Set<string>()
  const unknowns = new Set<string>()
  const texts = new Set<string>()
  const acts: Act[] = []
  let isWhole = true
  return {
    write(write) {
      const file = write.path ?? `? ${write.written}`
      const content = JSON.stringify(write.content)
      if (last.get(file) === content && write.content.kind !== 'append') return
      last.set(file, content)
      writes.push(write)
      if (writes.length > MOST_WRITES) throw new TooMuch()
    },
    command: (words, folders) => {
      const line = lineOf(words)
      const known = commands.get(line) ?? new Set()
      for (const folder of folders) if (folder !== undefined) known.add(folder)
      commands.set(line, known)
    },
    code: (language, text) => {
      code.set(`${language} ${text}`, { language, text: readable(text) })
    },
    text: (text) => {
      texts.add(text)
    },
    act: (act) => {
      acts.push(act)
      if (acts.length > MOST_ACTS) throw new TooMuch()
    },
    session: (words) => {
      sessions.add(words.map(readable).join(' ').slice(0, LONGEST_SESSION))
    },
    unknown: (sentence) => {
      unknowns.add(sentence)
    },
    giveUp: (sentence) => {
      unknowns.add(sentence)
      isWhole = false
    },
    facts: () => ({
      writes: [...writes],
      named: mentionedWrites(acts, [...texts]),
      commands: [...commands.keys()],
      folders: new Map([...commands].map(([line, folders]) => [line, [...folders]])),
      code: [...code.values()],
      given: givenTo(acts, [...texts]),
      sessions: [...sessions],
      unknowns: [...unknowns],
      isWhole,
    }),
  }
}

function lineOf(words: readonly string[]): string {
  return words.map((word) => (isKnown(word) && !word.startsWith('/dev/fd/pipe') ? word : '?')).join(' ')
}
