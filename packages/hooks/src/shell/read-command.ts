import { parse } from 'unbash'
import type { ShellFacts, ShellPlace, ShellWrite } from './words/facts.ts'
import { isKnown, patternOf, readable, withoutEdges } from './words/holes.ts'
import { isNoFile, wholePath } from './words/paths.ts'
import { createRecord } from './record.ts'
import type { FactRecord } from './record.ts'
import { runWords } from './run-words.ts'
import { runFunction, runScript } from './run-script.ts'
import { isTyped, takesCommands } from './sessions.ts'
import { copyScope, TERMINAL, TooMuch } from './words/shell.ts'
import type { Folder, Scope, Shell, Stream } from './words/shell.ts'

/** A hole that is not a pattern. */
const MAY_BE_ANY = /\0[^\0]*[$`…(][^\0]*\0/
const LONGEST_BYTES = 1 << 20
const DEEPEST = 16
const MOST_STEPS = 20_000

/** Finds what a command line for bash (or sh, zsh, dash, ksh) would write and run. Never throws, for any text. */
export function readCommand(command: string, place: ShellPlace): ShellFacts {
  const record = createRecord()
  const text = withoutEdges(command)
  if (command.length > LONGEST_BYTES) {
    record.giveUp(`The command is ${command.length} characters long, which is not read`)
  } else if (text.trim() !== '') {
    readAll(createShell(record, place), text, record)
  }
  return record.facts()
}

function readAll(shell: Shell, text: string, record: FactRecord): void {
  try {
    shell.source(text, TERMINAL)
    readWhatIsNotCalled(shell)
  } catch (error) {
    // The parser and this reader recurse: deeply nested text overflows the stack, which is expected.
    if (!(error instanceof TooMuch || error instanceof RangeError)) throw error
    record.giveUp('The command does too much to be read as a whole')
  }
}

/** A function can still be called by a trap or another shell. */
function readWhatIsNotCalled(shell: Shell): void {
  for (const body of new Set(shell.scope.functions.values())) {
    if (!shell.called.has(body)) runFunction(shell, body, { args: undefined, stdin: undefined })
  }
}

function createShell(record: FactRecord, place: ShellPlace): Shell {
  let depth = 0
  let steps = 0
  let pipes = 0
  /** Limits the nesting depth. */
  function nested(sentence: string, read: () => Stream): Stream {
    if (depth >= DEEPEST) {
      record.giveUp(sentence)
      return undefined
    }
    depth++
    try {
      return read()
    } finally {
      depth--
    }
  }
  const shell: Shell = {
    scope: firstScope(place),
    files: new Map(),
    links: new Map(),
    called: new Set(),
    write: (path, content) => writeTo(path, content, { shell, record }),
    unknown(sentence) {
      record.unknown(sentence)
      record.act({ by: 'what is run', texts: [], folders: shell.scope.folders, isLoose: true })
    },
    act: (by, texts, keeps = false) => noteAct({ by, texts, keeps }, { shell, record }),
    code(language, text) {
      record.code(language, text)
      record.text(text)
    },
    run(words, stdin) {
      noteRun(words, stdin, { shell, record })
      return nested(`Commands in "${readable(words[0] ?? '')}" are nested too deeply to be read`, () =>
        runWords(shell, words, stdin),
      )
    },
    source: (text, stdin) =>
      nested('Shells are nested too deeply to be read', () => {
        shell.spend(1 + text.length / 10_000)
        if (isHardToParse(text)) throw new TooMuch()
        record.text(text)
        return runScript(shell, parse(text), stdin)
      }),
    runScript: (script, stdin) =>
      nested('Substitutions are nested too deeply to be read', () => runScript(shell, script, stdin)),
    inSubshell: (read) => inSubshell(shell, read),
    pipe(stream) {
      const path = `/dev/fd/pipe${pipes++}`
      shell.files.set(path, stream)
      return path
    },
    spend(more) {
      steps += more
      if (steps > MOST_STEPS) throw new TooMuch()
    },
  }
  return shell
}

function inSubshell(shell: Shell, read: () => Stream): Stream {
  const outer = shell.scope
  shell.scope = copyScope(outer)
  try {
    return read()
  } finally {
    shell.scope = outer
  }
}

interface Recorded {
  readonly shell: Shell
  readonly record: FactRecord
}

function noteRun(words: readonly string[], stdin: Stream, { shell, record }: Recorded): void {
  shell.spend(1)
  record.command(words, shell.scope.folders)
  for (const word of words) record.text(word)
  // An index is evaluated: `printf -v 'a[$(cmd)]'`.
  const evaluated = words.filter((word) => /\[\s*(?:\$\(|`)/.test(word))
  if (evaluated.length > 0) shell.act('the shell', evaluated)
  if (isTyped(stdin) && takesCommands(words)) record.session(words)
}

function noteAct(
  { by, texts, keeps }: { by: string; texts: readonly string[]; keeps: boolean },
  { shell, record }: Recorded,
): void {
  const isLoose = texts.some((text) => MAY_BE_ANY.test(text))
  const given = [...texts, ...texts.flatMap((text) => writtenHere(shell, text))]
  record.act({ by: readable(by), texts: given, folders: shell.scope.folders, isLoose, keeps })
}

/** Records the write for each possible current folder. */
function writeTo(path: string, content: ShellWrite['content'], { shell, record }: Recorded): void {
  if (path === '' || (isKnown(path) && isNoFile(path))) return
  for (const folder of shell.scope.folders) {
    const { whole, pattern } = placeIn(folder, path)
    if (whole !== undefined && isNoFile(whole)) continue
    const stream = content.kind === 'copy' ? shell.files.get(content.from) : undefined
    const known = stream && 'text' in stream ? ({ kind: 'text', text: stream.text } as const) : content
    if (whole === undefined && pattern === undefined) shell.act('what is written', [path])
    record.write({
      path: whole,
      ...(pattern === undefined ? {} : { pattern }),
      written: readable(path),
      content: known,
    })
    if (whole === undefined) continue
    const linked = throughLink(shell, whole)
    if (linked !== undefined && known.kind !== 'deleted' && known.kind !== 'moved')
      record.write({ path: linked, written: readable(path), content: known })
    shell.files.set(whole, known.kind === 'text' ? { text: known.text } : undefined)
  }
}

/** The absolute path, or a pattern for it if only part of it is known. */
function placeIn(folder: Folder, path: string): { whole?: string | undefined; pattern?: string | undefined } {
  const here = wholePath(folder, path)
  // After `cd s*` the folder is a pattern.
  if (here !== undefined && folder?.includes('*') && !path.startsWith('/')) return { pattern: here }
  return here === undefined ? { pattern: wholePath(folder, patternOf(path) ?? path) } : { whole: here }
}

/** Resolves a path through links made by this command line. */
function throughLink({ links }: Shell, whole: string): string | undefined {
  for (const [link, target] of links) {
    if (whole === link || whole.startsWith(`${link}/`)) return target + whole.slice(link.length)
  }
  return undefined
}

/** The content of a file that this command line wrote. */
function writtenHere({ files, scope }: Shell, word: string): readonly string[] {
  const value = word.slice(word.lastIndexOf('=') + 1)
  const path = isKnown(value) ? wholePath(scope.folders[0], value) : undefined
  const stream = path === undefined ? undefined : files.get(path)
  return stream && 'text' in stream ? [stream.text] : []
}

/** The parser looks ahead for the end of each of these, which is quadratic. */
function isHardToParse(text: string): boolean {
  if (count(text, /<</g) > 1000 || count(text, /[$<>(]\(/g) > 10_000) return true
  return count(text, /\{/g) > 5000 && text.split(/\s/).some((word) => count(word, /\{/g) > 5000)
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function firstScope({ cwd, home, variables = {} }: ShellPlace): Scope {
  return {
    folders: [cwd],
    left: [],
    former: undefined,
    stack: [],
    variables: new Map([...Object.entries(variables), ['HOME', home]]),
    functions: new Map(),
    aliases: new Map(),
    // A terminal's output device can also be read.
    descriptors: new Map([1, 2].map((number) => [number, TERMINAL])),
    args: undefined,
    stopsOnError: false,
  }
}
