// npm run fuzz [-- --seed N --requests N --seconds N]: sends random requests to its own registry and checks the responses
// against the contract. Only this file reads process.*.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { startRegistry } from '../../bench/registry/start-registry.ts'
import { root } from '../../bench/root.ts'
import { createStops } from '../../bench/stops.ts'
import { sendBytes } from './exchange.ts'
import { printOutcome } from './print-outcome.ts'
import { run } from './run.ts'
import { createWorld } from './world.ts'

const SHRINK_SECONDS = 20
const usage = 'Usage: npm run fuzz [-- --seed N --requests N --seconds N]\n'
const limits = readLimits()
if (!limits) {
  process.stderr.write(usage)
  process.exit(2)
}

const stops = createStops()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stops.run().then(() => process.exit(1)))
process.stdout.write(`seed ${limits.seed}, at most ${limits.requests} requests and ${limits.seconds} s\n`)
try {
  const { url, adminKey } = await startRegistry(stops, { env: { PML_TRUST_PROXY: 'true' } })
  const outcome = await run(await createWorld({ url, adminKey, root }), limits, sendBytes)
  process.stdout.write(printOutcome(outcome, limits))
  process.exitCode = outcome.failure ? 1 : 0
} finally {
  await stops.run()
}

function readLimits() {
  const number = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)
  try {
    const options = {
      seed: { type: 'string' },
      requests: { type: 'string' },
      seconds: { type: 'string' },
    } as const
    const { values } = parseArgs({ options })
    const seed = number(values.seed ?? String(randomInt(1_000_000_000)))
    const requests = number(values.requests ?? '10000')
    const seconds = number(values.seconds ?? '120')
    return seed === undefined || !requests || !seconds
      ? undefined
      : { seed, requests, seconds, shrinkSeconds: SHRINK_SECONDS }
  } catch {
    return undefined
  }
}
