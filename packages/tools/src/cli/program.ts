import type { PmlError } from '@pml/core/errors'
import type { JsonObject } from '../json-schema.ts'
import type { Layout } from './layout.ts'

/** The program around the commands. */
export interface Program {
  readonly name: string
  readonly version: string
  readonly about: string
  /** In the place of a category or a command of one word. They come before every one of that name. */
  readonly words: readonly OwnWord[]
  /** Flags that every command takes and that only the program looks at. */
  readonly flags: readonly GlobalFlag[]
  /** The fix for an error whose message has none. */
  findHint(error: PmlError): string | undefined
  /** The exit code after a call that did not fail; 0 without it. */
  exitCodeOf?(output: JsonObject): number
  /** Prints a tool's output for a person; undefined: the default layout. */
  print?(name: string, output: JsonObject, layout: Layout): string | undefined
}

export interface OwnWord {
  readonly word: string
  readonly about: string
  /** Flags that only this word takes. */
  readonly flags?: readonly GlobalFlag[]
  /** Command lines without the name of the program, besides the word alone. */
  readonly examples?: readonly string[]
  /** Returns the exit code. */
  run(flags: GlobalFlags): Promise<number>
}

/** The flags of every command that were given, without the dashes: the value, or true. Of two values the later counts. */
export type GlobalFlags = ReadonlyMap<string, string | true>

export interface GlobalFlag {
  /** Without the dashes. */
  readonly flag: string
  readonly about: string
  /** What its value is called; a switch has none. */
  readonly value?: string
  /** The value is the path of a file or a folder, which shells complete. */
  readonly isPath?: boolean
  /** With `no-` before it, it says the opposite. */
  readonly hasNegation?: boolean
}
