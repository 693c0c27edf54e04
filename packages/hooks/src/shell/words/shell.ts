import type { CompoundCommand, CompoundList, ParsedScript, Redirected } from 'unbash'
import type { ShellContent } from './facts.ts'

/** The input or output of a command; undefined if unknown. */
export type Stream = { readonly text: string } | { readonly from: string } | undefined

/** A possible current folder; undefined if unknown. */
export type Folder = string | undefined

export type FunctionBody = CompoundCommand | Redirected | CompoundList

/** The state that a shell passes from one command to the next. A subshell gets a copy. */
export interface Scope {
  /** More than one after a `cd` that may have failed; the first is the one in which all of them worked. */
  folders: readonly Folder[]
  /** The folder before a `cd` in the current statement: still current if it fails. */
  left: readonly Folder[]
  former: Folder
  /** The folder stack of pushd and popd. */
  stack: readonly Folder[]
  readonly variables: Map<string, string>
  readonly functions: Map<string, FunctionBody>
  readonly aliases: Map<string, string>
  /** The content that `<&3` reads, by number. */
  readonly descriptors: Map<number, Stream>
  /** `$1`, `$2`, …; undefined if unknown. */
  args: readonly string[] | undefined
  /** `set -e`: nothing runs after a failed `cd`. */
  stopsOnError: boolean
}

/** A command with its words expanded; words may have holes. */
export interface Call {
  readonly name: string
  readonly args: readonly string[]
  readonly stdin: Stream
}

/** Reads one program's command line, records what it does, and returns its output. */
export type Program = (shell: Shell, call: Call) => Stream

export interface Shell {
  scope: Scope
  /** The files that this command line has written so far and the pipes behind `<(…)`, by absolute path. */
  readonly files: Map<string, Stream>
  /** The links that this command line has made, with their targets, by absolute path. */
  readonly links: Map<string, string>
  /** Functions that were read at a call. */
  readonly called: Set<FunctionBody>
  /** Records a write for every possible current folder. Ignores `/dev/null` and the like. */
  write(path: string, content: ShellContent): void
  unknown(sentence: string): void
  /** Records a program that may write the files in these texts; an unknown text may be any name. */
  act(by: string, texts: readonly string[], keeps?: boolean): void
  code(language: string, text: string): void
  /** Reads words as a command of their own. */
  run(words: readonly string[], stdin: Stream): Stream
  /** Reads text as a script of this shell. */
  source(text: string, stdin: Stream): Stream
  runScript(script: ParsedScript, stdin: Stream): Stream
  /** Changes in a subshell stay there: folder, variables, functions. */
  inSubshell(read: () => Stream): Stream
  /** A path for the output of `<(…)`. */
  pipe(stream: Stream): string
  /** Counts work and throws `TooMuch` when the budget is used up. */
  spend(steps: number): void
}

/** Thrown to stop reading; earlier findings are kept. */
export class TooMuch extends Error {}

export const NOTHING: Stream = { text: '' }

/** The stdin of the whole command line: nobody types there, and the input is unknown. */
export const TERMINAL: Stream = { from: '/dev/stdin' }

export function copyScope(scope: Scope): Scope {
  return {
    ...scope,
    variables: new Map(scope.variables),
    functions: new Map(scope.functions),
    aliases: new Map(scope.aliases),
    descriptors: new Map(scope.descriptors),
  }
}
