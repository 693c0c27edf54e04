import { PmlError } from '@pml/core'
import { fileError } from '../files/file-error.ts'

/** A process that died without letting go is waited for this long, counted from its last sign of life. */
const STALE_MS = 5000
const waiting = { retries: 2000, minTimeout: 5, maxTimeout: 40, factor: 1.3, randomize: true }

/**
 * Runs `work` while no other process does so for the same file. `requireHeld` throws when the hold was lost, as after a
 * long sleep of the machine: nothing may be written then.
 */
export async function holdLock<Result>(
  path: string,
  work: (requireHeld: () => void) => Promise<Result>,
): Promise<Result> {
  let isLost = false
  const { lock } = await import('./file-lock.ts')
  const release = await lock(path, {
    realpath: false,
    lockfilePath: `${path}.held`,
    stale: STALE_MS,
    retries: waiting,
    onCompromised: () => (isLost = true),
  }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOCKED' ? busy(path) : fileError('write', path, error)
  })
  const requireHeld = () => {
    if (isLost) throw busy(path)
  }
  try {
    return await work(requireHeld)
  } finally {
    if (!isLost) await release().catch(() => undefined)
  }
}

function busy(path: string): PmlError {
  const fix = `wait for it to end, or remove ${path}.held if there is none`
  return new PmlError('file_failed', `Cannot write ${path}: another pml is writing it; ${fix}`)
}
