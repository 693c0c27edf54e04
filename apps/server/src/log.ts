import { Writable } from 'node:stream'
import { pino, type Logger } from 'pino'

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

/** A query that failed carries its parameters, which may be a private module or a secret; its cause does not. */
function printError(error: unknown): unknown {
  const isQuery = error instanceof Error && 'query' in error && 'params' in error
  return pino.stdSerializers.errWithCause((isQuery ? error.cause : error) as Error)
}
