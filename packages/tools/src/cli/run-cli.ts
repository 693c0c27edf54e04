import { PmlError } from '@pml/core/errors'
import type { Cli, Run } from './cli.ts'
import { runWords } from './run-words.ts'

const INTERRUPTED = 130

/** Runs a command line and returns the exit code. Never throws. */
export async function runCli(cli: Cli): Promise<number> {
  const run = { ...cli, ...outputOptionsOf(cli) }
  try {
    return await Promise.race([runWords(run), aborted(cli.signal)])
  } catch (error) {
    const failure = error instanceof PmlError ? error : unexpected(error)
    await showFailure(run, failure)
    return cli.signal.aborted ? INTERRUPTED : failure.exitCode
  }
}

/** Read before parsing because they decide how errors are printed; they are never values. */
function outputOptionsOf({ argv, io: { width, hasColor } }: Cli): Pick<Run, 'isJson' | 'layout'> {
  const end = argv.indexOf('--')
  const flags = new Set(end < 0 ? argv : argv.slice(0, end))
  const isColored = flags.has('--color') || (hasColor && !flags.has('--no-color'))
  return { isJson: flags.has('--json'), layout: { width, hasColor: isColored } }
}

/** Prints the whole error as JSON for programs, or its message and fix for people. */
async function showFailure({ io, program, isJson, layout }: Run, failure: PmlError): Promise<void> {
  if (isJson) return io.print(`${JSON.stringify(failure)}\n`)
  const { printError } = await import('./print-error.ts')
  io.tell(printError(failure, program.findHint(failure), layout))
}

function unexpected(error: unknown): PmlError {
  const reason = error instanceof Error ? error.message : String(error)
  return new PmlError('internal_error', `Unexpected error: ${reason}`)
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, fail) => {
    const cancel = () => fail(new PmlError('cancelled', 'Cannot finish: it was interrupted'))
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
  })
}
