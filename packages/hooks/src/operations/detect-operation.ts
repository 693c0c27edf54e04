import type { Operation } from '../policy/policy.ts'

/** Every operation that the text is about, in the order of the policy. */
export function detectOperations(operations: readonly Operation[], text: string): Operation[] {
  return operations.filter(({ patterns }) => patterns.some((pattern) => pattern.test(text)))
}

export function detectOperation(operations: readonly Operation[], text: string): Operation | undefined {
  return operations.find(({ patterns }) => patterns.some((pattern) => pattern.test(text)))
}

/** The servers that a worker needs for the task. */
export function getRequiredMcpServers(operations: readonly Operation[], task: string): string[] {
  return [...new Set(detectOperations(operations, task).map(({ server }) => server))]
}
