import type { Kill } from '../packages/pml/src/machine/owned-process.ts'
import { runNpm, type Npm } from '../packages/pml/src/npm/run-npm.ts'

/** npm, and for how long and until when it may run. */
export interface BoundNpm {
  readonly npm: Npm
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly kill: Kill
}

/** Fails with the reason that npm gave. */
export async function requireNpm(
  { npm, ...limits }: BoundNpm,
  args: readonly string[],
  cwd: string,
): Promise<void> {
  const failure = await runNpm(npm, args, { ...limits, cwd })
  if (failure !== undefined) throw new Error(`npm ${args[0]} failed with ${failure.code}: ${failure.reason}`)
}
