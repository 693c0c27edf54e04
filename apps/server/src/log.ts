import { Writable } from 'node:stream'
import { pino, type Logger } from 'pino'
import postgres from 'postgres'

/** Creates a log: JSON lines, or short lines in a terminal. Headers and bodies are never logged. */
export function createLog({
  level,
  stdout,
  isTerminal,
  onExit,
}: {
  level: string
  stdout: NodeJS.WritableStream
  isTerminal: boolean
  /** Calls the listener when the process exits. */
  onExit: (listener: () => void) => void
}): Logger {
  const options = {
    level,
    base: undefined,
    timestamp: isoTime(),
    serializers: { err: printError },
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return pino(options, isTerminal ? readableLines(stdout) : batched(stdout, onExit))
}

/** Caches the printed time of the current millisecond. */
function isoTime(): () => string {
  let [last, printed] = [0, '']
  return () => {
    const now = Date.now()
    if (now !== last) [last, printed] = [now, `,"time":"${new Date(now).toISOString()}"`]
    return printed
  }
}

/** Batches the lines of one turn of the event loop, because writing to a pipe is the most expensive part of logging. */
function batched(
  stdout: NodeJS.WritableStream,
  onExit: (listener: () => void) => void,
): { write(line: string): void } {
  let lines = ''
  const flush = () => {
    if (lines !== '') stdout.write(lines)
    lines = ''
  }
  onExit(flush)
  return {
    write: (line) => {
      if (lines === '') setImmediate(flush)
      lines += line
    },
  }
}

function readableLines(stdout: NodeJS.WritableStream): Writable {
  return new Writable({
    write: (line, _encoding, done) => {
      const { level, time, msg, err, ...rest } = JSON.parse(String(line))
      const details = Object.entries(rest).map(
        ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      )
      const text = [String(time).slice(11, 19), String(level).padEnd(5), msg, ...details, err?.stack]
        .filter(Boolean)
        .join(' ')
      stdout.write(`${text}\n`, () => done())
    },
  })
}

/**
 * Prints an error without the parameters of a failed query and without the details from Postgres, which quote them:
 * parameters may be private modules or secrets.
 */
function printError(error: unknown): unknown {
  const isQuery = error instanceof Error && 'query' in error && 'params' in error
  const cause = isQuery ? error.cause : error
  if (!(cause instanceof postgres.PostgresError)) return pino.stdSerializers.errWithCause(cause as Error)
  const { name, code, message, routine, stack } = cause
  return { type: name, code, message, routine, stack }
}
