import { PmlError } from '@pml/core'
import type { Decision, HookEvent } from '@pml/hooks'
import { serveRequests } from '../serve-requests.ts'
import { decideWithoutDisk } from './decide-without-disk.ts'
import { parseEnforcement, type Enforcement } from './parse-enforcement.ts'

/** Runs in a process of its own: what an agent sends may take long to judge, and is stopped then. */

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
