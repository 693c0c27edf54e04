import { Writable } from 'node:stream'
import { pino, type Logger } from 'pino'
import postgres from 'postgres'

/** JSON lines for machines; short lines where a person reads. Headers and bodies are never logged. */
export function createLog({
  level,
  stdout,
  isTerminal,
}: {
  level: string
  stdout: NodeJS.WritableStream
  isTerminal: boolean
}): Logger {
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: printError },
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return pino(options, isTerminal ? readableLines(stdout) : stdout)
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
 * A query that failed carries its parameters, which may be a private module or a secret, and what the database says
 * about them repeats them: of both only what happened is kept.
 */
function printError(error: unknown): unknown {
  const isQuery = error instanceof Error && 'query' in error && 'params' in error
  const cause = isQuery ? error.cause : error
  if (!(cause instanceof postgres.PostgresError)) return pino.stdSerializers.errWithCause(cause as Error)
  const { name, code, message, routine, stack } = cause
  return { type: name, code, message, routine, stack }
}
