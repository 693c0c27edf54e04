import { Script } from 'node:vm'

declare global {
  var pmlUnderDeadline: (() => void) | undefined
}

/**
 * Runs synchronous `work` and throws if it takes too long, even in a runaway regular expression of a policy.
 * Only `node:vm` can interrupt running code.
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
