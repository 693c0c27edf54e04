import type { JsonObject } from '../json-schema.ts'
import type { CliIo } from './cli-io.ts'
import type { CommandSource } from './command-source.ts'
import type { Layout } from './layout.ts'
import type { GlobalFlags, Program } from './program.ts'

/** The parts of a command line. */
export interface Cli {
  /** The arguments without the path of the program. */
  readonly argv: readonly string[]
  readonly program: Program
  readonly commands: CommandSource
  readonly io: CliIo
  /** Aborted on Ctrl-C. */
  readonly signal: AbortSignal
  /** Throws PmlErrors. */
  call(call: CommandCall, flags: GlobalFlags): Promise<JsonObject>
}

/** A tool and its arguments; the callee validates them. */
interface CommandCall {
  readonly name: string
  readonly args: unknown
  readonly signal: AbortSignal
}

/** One command line being run. */
export interface Run extends Cli {
  readonly layout: Layout
  /** Standard output is JSON only. */
  readonly isJson: boolean
}
