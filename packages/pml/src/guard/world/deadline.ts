import { Script } from 'node:vm'

declare global {
  var pmlUnderDeadline: (() => void) | undefined
}

/**
 * Runs `work`, which does not wait for anything, and throws when it takes too long, wherever it is then: in a regular
 * expression of a policy that runs away, too.
 */
export function underDeadline<Result>(work: () => Result, timeoutMs: number): Result {
  let result: { readonly value: Result } | undefined
  globalThis.pmlUnderDeadline = () => {
    result = { value: work() }
  }
  try {
    new Script('pmlUnderDeadline()').runInThisContext({ timeout: timeoutMs })
  } finally {
    globalThis.pmlUnderDeadline = undefined
  }
  if (!result) throw new Error('unreachable: work that did not throw has a result')
  return result.value
}
