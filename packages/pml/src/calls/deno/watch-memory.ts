import { readFile } from 'node:fs/promises'

interface MemoryWatch {
  readonly pid: number
  readonly limitMb: number
  onExceeded(): void
}

/** What Deno takes before a module does anything. */
const DENO_MB = 160
const PAUSE_MS = 50

/**
 * V8's own limit knows nothing of buffers, so the process as a whole is looked at again and again. Where the system does
 * not tell how large it is, V8's limit stands alone. Gives what ends the watch.
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
