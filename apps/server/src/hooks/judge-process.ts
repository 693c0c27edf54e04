import { PmlError } from '@pml/core'
import type { Decision, HookEvent } from '@pml/hooks'
import { serveRequests } from '../serve-requests.ts'
import { decideWithoutDisk } from './decide-without-disk.ts'
import { parseEnforcement, type Enforcement } from './parse-enforcement.ts'

/** Judges large calls in a child process, which is killed if it takes too long. */

export interface JudgeRequest extends Pick<Enforcement, 'text' | 'file'> {
  readonly event: HookEvent
}

export type Judged = { readonly decision: Decision } | { readonly problem: string }

let held: Enforcement | undefined

serveRequests(({ text, file, event }: JudgeRequest): Judged => {
  if (held?.text !== text) held = parseEnforcement(text, file)
  try {
    return { decision: decideWithoutDisk(held.policy, event) }
  } catch (error) {
    if (error instanceof PmlError) return { problem: error.message }
    throw error
  }
})
