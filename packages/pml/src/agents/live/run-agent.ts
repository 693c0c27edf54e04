import { setTimeout as delay } from 'node:timers/promises'
import { OwnedProcess, type Kill, type ProcessCommand } from '../../machine/owned-process.ts'

export interface Ended {
  readonly how: string
  /** The system's error code if it could not be started. */
  readonly notStarted?: string | undefined
  readonly stdout: string
  readonly stderr: string
}

const KEPT_CHARACTERS = 10_000_000
const OUTPUT_MS = 1000

/** Runs an agent until it exits or the timeout, and leaves none of its processes. */
export async function runAgent(
  command: ProcessCommand,
  { timeoutMs, signal, kill }: { timeoutMs: number; signal: AbortSignal; kill: Kill },
): Promise<Ended> {
  const texts = { stdout: '', stderr: '' }
  const owned = new OwnedProcess(command, kill)
  try {
    await owned.started()
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return { how: message, notStarted: code ?? message, ...texts }
  }
  const { child } = owned
  const closed = new Promise((done) => child.once('close', done))
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (more: string) => {
      texts[name] = (texts[name] + more).slice(-KEPT_CHARACTERS)
    })
  // It may exit without reading.
  child.stdin.on('error', () => undefined)
  child.stdin.end()
  let isLate = false
  const end = () => void owned.end(0)
  const timer = setTimeout(() => {
    isLate = true
    end()
  }, timeoutMs)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const exit = await owned.exited
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
  await owned.end(0)
  // A process that can no longer be found may still hold a pipe.
  await Promise.race([closed, delay(OUTPUT_MS, undefined, { ref: false })])
  for (const stream of [child.stdout, child.stderr]) stream.destroy()
  return {
    how: isLate ? `no exit within ${timeoutMs / 1000} s` : `exit ${exit.code ?? exit.signal}`,
    ...texts,
  }
}
