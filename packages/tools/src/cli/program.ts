import type { PmlError } from '@pml/core/errors'
import type { JsonObject } from '../json-schema.ts'
import type { Layout } from './layout.ts'

/** The program around the commands: its name and its built-in words. */
export interface Program {
  readonly name: string
  readonly version: string
  readonly about: string
  /** Built-in words. They override categories and one-word commands of the same name. */
  readonly words: readonly OwnWord[]
  /** Flags of every command that only the program reads. */
  readonly flags: readonly GlobalFlag[]
  /** The fix for an error whose message does not contain one. */
  findHint(error: PmlError): string | undefined
  /** The exit code after a successful call; 0 without it. */
  exitCodeOf?(output: JsonObject): number
  /** Prints the output of a tool for a person; undefined prints it as a table. */
  print?(name: string, output: JsonObject, layout: Layout): Promise<string | undefined> | string | undefined
}

export interface OwnWord {
  readonly word: string
  readonly about: string
  /** Flags of this word only. */
  readonly flags?: readonly GlobalFlag[]
  /** Example command lines without the program's name, besides the word alone. */
  readonly examples?: readonly string[]
  /** Returns the exit code. */
  run(flags: GlobalFlags): Promise<number>
}

/** The given global flags without dashes: the value, or true. The last of several values wins. */
export type GlobalFlags = ReadonlyMap<string, string | true>

export interface GlobalFlag {
  /** The name without dashes. */
  readonly flag: string
  readonly about: string
  /** The name of the value in help; absent for switches. */
  readonly value?: string
  /** The value is a path, which shells complete. */
  readonly isPath?: boolean
  /** Has a `no-` form for the opposite. */
  readonly hasNegation?: boolean
}
