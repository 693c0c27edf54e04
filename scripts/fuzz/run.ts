import fc from 'fast-check'
import { cases, type Case } from './cases.ts'
import { createClient } from './client.ts'
import type { SendBytes } from './exchange.ts'
import { Violation } from './violation.ts'
import type { World } from './world.ts'

export interface Limits {
  readonly seed: number
  readonly requests: number
  readonly seconds: number
  /** The time limit for shrinking a failing case. */
  readonly shrinkSeconds: number
}

export interface Outcome {
  readonly sent: number
  readonly kinds: Readonly<Record<string, number>>
  readonly failure: Failure | undefined
}

export interface Failure {
  readonly property: string
  readonly found: string
  readonly kind: string
  /** The smallest failing case, to be repeated by hand. */
  readonly requests: string
}

/** Runs cases until one fails or a limit is reached. The same seed gives the same cases. */
export async function run(
  world: World,
  { seed, requests, seconds, shrinkSeconds }: Limits,
  sendBytes: SendBytes,
): Promise<Outcome> {
  const client = createClient(world, sendBytes)
  const kinds: Record<string, number> = {}
  let deadline = Date.now() + seconds * 1000
  let failed: { case: Case; error: unknown } | undefined
  const isOver = () => Date.now() > deadline || (!failed && client.sent >= requests)
  const property = fc.asyncProperty(cases(world), async (one) => {
    if (isOver()) return
    kinds[one.kind] = (kinds[one.kind] ?? 0) + 1
    try {
      await one.run(client)
    } catch (error) {
      if (!failed) deadline = Date.now() + shrinkSeconds * 1000
      failed = { case: one, error }
      throw error
    }
  })
  await fc.check(property, { seed, numRuns: requests })
  return { sent: client.sent, kinds, failure: failed && describe(failed) }
}

/** fast-check continues from the last failing case, so the last one is the smallest. */
function describe({ case: { kind, print }, error }: { case: Case; error: unknown }): Failure {
  const isViolation = error instanceof Violation
  return {
    property: isViolation ? error.property : 'the fuzzer understands every answer',
    found: isViolation ? error.message : String(error),
    kind,
    requests: print(),
  }
}
