import { PmlError } from '@pml/core'
import type { Decision, HookEvent } from '@pml/hooks'
import { createSideProcess } from '../side-process.ts'
import { decideWithoutDisk } from './decide-without-disk.ts'
import type { Judged, JudgeRequest } from './judge-process.ts'
import type { Enforcement } from './parse-enforcement.ts'

/** Decides about calls without blocking the server on a slow one. */
export interface Judge {
  decide(enforcement: Enforcement, call: SizedEvent): Promise<Decision>
  close(): void
}

export interface SizedEvent {
  readonly event: HookEvent
  readonly sizeBytes: number
}

/** Blocks this process for at most a sixth of a second; some contents take quadratic time. */
const MOST_BYTES_HERE = 8192
const TIMEOUT_MS = 2000

export function createJudge(): Judge {
  const aside = createSideProcess<JudgeRequest, Judged>({
    name: 'judge of large calls',
    program: new URL('./judge-process', import.meta.url),
    timeoutMs: TIMEOUT_MS,
    tooHard,
  })
  return {
    decide: async ({ policy, text, file }, { event, sizeBytes }) => {
      if (sizeBytes <= MOST_BYTES_HERE) return decideWithoutDisk(policy, event)
      const judged = await aside.ask({ text, file, event })
      if ('decision' in judged) return judged.decision
      throw new PmlError('bad_request', judged.problem)
    },
    close: aside.close,
  }
}

function tooHard(): PmlError {
  return new PmlError('bad_request', 'Cannot judge the call in time; make it smaller')
}
