import type { CompoundCommand, CompoundList, ParsedScript, Redirected } from 'unbash'
import type { ShellContent } from './facts.ts'

/** What comes out of a command or goes into it; undefined where that cannot be known. */
export type Stream = { readonly text: string } | { readonly from: string } | undefined

/** A folder that may be in force; undefined is one that cannot be known. */
export type Folder = string | undefined

export type FunctionBody = CompoundCommand | Redirected | CompoundList

/** What a shell carries from one command to the next. A subshell gets a copy. */
export interface Scope {
  /** More than one after a `cd` that may have failed; the first is where all of them worked. */
  folders: readonly Folder[]
  /** Where a `cd` of the statement being read has left from: still in force if it fails. */
  left: readonly Folder[]
  former: Folder
  /** Of pushd and popd. */
  stack: readonly Folder[]
  readonly variables: Map<string, string>
  readonly functions: Map<string, FunctionBody>
  readonly aliases: Map<string, string>
  /** What `<&3` reads, by the number. */
  readonly descriptors: Map<number, Stream>
  /** `$1`, `$2`, …; undefined where they cannot be known. */
  args: readonly string[] | undefined
  /** `set -e`: what follows a failed `cd` is not run. */
  stopsOnError: boolean
}

/** A command with its words expanded; words may have holes. */
export interface Call {
  readonly name: string
  readonly args: readonly string[]
  readonly stdin: Stream
}

/** Reads one program's command line, records what it does, and answers what it prints. */
export type Program = (shell: Shell, call: Call) => Stream

export interface Shell {
  scope: Scope
  /** What this command line has written so far and the pipes behind `<(…)`, by whole path. */
  readonly files: Map<string, Stream>
  /** Links that this command line has made, and what they lead to, by whole path. */
  readonly links: Map<string, string>
  /** Functions that were read where they are called. */
  readonly called: Set<FunctionBody>
  /** Records a write for every folder that may be in force. `/dev/null` and the like are none. */
  write(path: string, content: ShellContent): void
  unknown(sentence: string): void
  /** A program is run that may write what is in these texts. Where one of them is not known it may be any name. */
  act(by: string, texts: readonly string[], keeps?: boolean): void
  code(language: string, text: string): void
  /** Reads words as a command of their own. */
  run(words: readonly string[], stdin: Stream): Stream
  /** Reads text as a script of this very shell. */
  source(text: string, stdin: Stream): Stream
  runScript(script: ParsedScript, stdin: Stream): Stream
  /** What is done in there stays in there: folder, variables, functions. */
  inSubshell(read: () => Stream): Stream
  /** A path for what comes out of `<(…)`. */
  pipe(stream: Stream): string
  /** Counts work and throws `TooMuch` at the end of the budget. */
  spend(steps: number): void
}

/** Thrown to stop reading; what was found until then is kept. */
export class TooMuch extends Error {}

export const NOTHING: Stream = { text: '' }

/** The standard input of the whole: nobody types there, and what comes is not known. */
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
