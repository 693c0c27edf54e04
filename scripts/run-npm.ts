import type { Kill } from '../packages/pml/src/machine/owned-process.ts'
import { runNpm, type Npm } from '../packages/pml/src/npm/run-npm.ts'

/** npm, with a time limit and an abort signal. */
export interface BoundNpm {
  readonly npm: Npm
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly kill: Kill
}

/** Throws npm's own error. */
export async function requireNpm(
  { npm, ...limits }: BoundNpm,
  args: readonly string[],
  cwd: string,
): Promise<void> {
  const failure = await runNpm(npm, args, { ...limits, cwd })
  if (failure !== undefined) throw new Error(`npm ${args[0]} failed with ${failure.code}: ${failure.reason}`)
}
