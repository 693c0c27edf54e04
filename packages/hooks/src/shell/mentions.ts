import type { ShellContent, ShellWrite } from './words/facts.ts'
import { readable } from './words/holes.ts'
import { wholePath } from './words/paths.ts'
import type { Folder } from './words/shell.ts'

/** A command that may write the files named in its input. */
export interface Act {
  /** The program, for messages. */
  readonly by: string
  /** All of its input: arguments, stdin, code. Holes show their source. */
  readonly texts: readonly string[]
  readonly folders: readonly Folder[]
  /** Part of its input is unknown, and may be any name in the command line. */
  readonly isLoose?: boolean
  /** It rewrites the files with the same meaning. */
  readonly keeps?: boolean
}

/** More names than a person writes into one command. */
const MOST_NAMES = 2000
const LONGEST_NAME = 1024

/** Returns the files named to commands that may write them. `all` is every text of the command line. */
export function mentionedWrites(acts: readonly Act[], all: readonly string[]): ShellWrite[] {
  const writes = new Map<string, ShellWrite>()
  const loose = acts.some(({ isLoose }) => isLoose) ? namesIn(all) : []
  for (const { by, texts, folders, isLoose, keeps } of acts) {
    const content: ShellContent = keeps
      ? { kind: 'append', text: '' }
      : { kind: 'unknown', why: `${by} is not known to only read it` }
    for (const name of new Set([...namesIn(texts), ...(isLoose ? loose : [])])) {
      for (const folder of folders) {
        const path = wholePath(folder ?? '/', name)
        if (path === undefined || (writes.has(path) && keeps)) continue
        writes.set(path, { path, written: name, content })
      }
    }
    if (writes.size > MOST_NAMES) break
  }
  return [...writes.values()]
}

/** The input of each command that may do anything, as one text. */
export function givenTo(acts: readonly Act[], all: readonly string[]): string[] {
  const loose = acts.some(({ isLoose }) => isLoose) ? all : []
  const given = acts.flatMap(({ texts, keeps }) => (keeps ? [] : texts.map(readable).join(' ')))
  return [...new Set([...given, ...loose.map(readable)])]
}

/** Possible paths: whole texts and parts of them. A pattern stands for a name that it matches. */
function namesIn(texts: readonly string[]): string[] {
  const names = new Set<string>()
  for (const text of texts) {
    const plain = text.replaceAll(/\b(?!file:)[a-z][a-z+.-]{1,20}:\/\/[^\s"'`]+/gi, ' ')
    for (const part of [plain, plain.replaceAll(/["'\\]/g, '')]) {
      if (!/[\s\0]/.test(part)) addName(names, part)
      for (const [found] of part.matchAll(/[^\s"'`;|&<>(){},=$\\:#!^\0]+/g)) addName(names, found)
    }
    if (names.size > MOST_NAMES) break
  }
  return [...names]
}

function addName(names: Set<string>, text: string): void {
  if (text.length > LONGEST_NAME || !/[./]/.test(text)) return
  const name = text.replaceAll(/[*?]+|\[[^\]]*\]/g, '-').replace(/(?<=[^./])\.+$/, '')
  if (/[^./-]/.test(name)) names.add(name)
}
