import { parseArgs } from 'node:util'
import { PmlError } from '@pml/core'

export interface PinArguments {
  /** Empty means every server that npx starts. */
  readonly servers: readonly string[]
  readonly start: boolean
  readonly concurrency: number
  readonly configDir: string
  readonly help: boolean
}

export const usage = `npm run pin [-- server… --no-start --concurrency N --config DIR]

Resolves what npx would run today, with every dependency and its hash, starts each
server once to list its tools, and writes config/pins/<server>.json for review.

  --no-start        do not install and start servers; keep the tools of the last pin
  --concurrency N   how many servers at a time, 1 to 16 (2)
  --config DIR      the folder of mcp-servers.json and pins/ (config)
`

export function parsePinArguments(argv: readonly string[], defaultDir: string): PinArguments {
  const { values, positionals } = parse(argv)
  return {
    servers: [...new Set(positionals)],
    start: !values['no-start'],
    concurrency: parseConcurrency(values.concurrency ?? '2'),
    configDir: values.config ?? defaultDir,
    help: values.help ?? false,
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        'no-start': { type: 'boolean' },
        concurrency: { type: 'string' },
        config: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new PmlError(
      'bad_request',
      `Cannot read the arguments: ${error instanceof Error ? error.message : error}`,
    )
  }
}

function parseConcurrency(text: string): number {
  const concurrency = Number(text)
  if (/^\d+$/.test(text) && concurrency >= 1 && concurrency <= 16) return concurrency
  throw new PmlError('bad_request', `Cannot use --concurrency ${text}: expected a number from 1 to 16`)
}
