import type { CallOptions } from '../api/pml.ts'
import type { CallLimits } from './call-parts.ts'

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_MEMORY_MB = 512

export function limitsOf({ timeoutMs, memoryMb, signal }: CallOptions = {}): CallLimits {
  return {
    timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
    memoryMb: memoryMb ?? DEFAULT_MEMORY_MB,
    signal: signal ?? new AbortController().signal,
  }
}
