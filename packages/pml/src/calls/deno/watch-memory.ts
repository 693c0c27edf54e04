import { readFile } from 'node:fs/promises'

interface MemoryWatch {
  readonly pid: number
  readonly limitMb: number
  onExceeded(): void
}

/** The memory of Deno itself. */
const DENO_MB = 160
const PAUSE_MS = 50

/**
 * Polls the memory of the whole process, because V8's limit does not cover buffers. On systems without /proc only V8's
 * limit holds. Returns a function that stops it.
 */
export function watchMemory({ pid, limitMb, onExceeded }: MemoryWatch): () => void {
  const timer = setInterval(() => {
    void findSizeMb(pid).then((size) => size > limitMb + DENO_MB && onExceeded())
  }, PAUSE_MS)
  return () => clearInterval(timer)
}

/** proc_pid_status(5). */
async function findSizeMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
}
