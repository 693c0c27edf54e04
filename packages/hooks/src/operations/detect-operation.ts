import type { Operation } from '../policy/policy.ts'

let last:
  | { readonly operations: readonly Operation[]; readonly text: string; readonly found: Operation[] }
  | undefined

/** All operations that match the text, in policy order. Cached, since several rules check one text. */
export function detectOperations(operations: readonly Operation[], text: string): Operation[] {
  if (last?.operations === operations && last.text === text) return last.found
  const found = operations.filter(({ patterns }) => patterns.some((pattern) => pattern.test(text)))
  last = { operations, text, found }
  return found
}

export function detectOperation(operations: readonly Operation[], text: string): Operation | undefined {
  return operations.find(({ patterns }) => patterns.some((pattern) => pattern.test(text)))
}

/** The servers that a worker needs for the task. */
export function getRequiredMcpServers(operations: readonly Operation[], task: string): string[] {
  return [...new Set(detectOperations(operations, task).map(({ server }) => server))]
}
