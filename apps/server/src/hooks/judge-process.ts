import { PmlError } from '@pml/core'
import type { Decision, HookEvent } from '@pml/hooks'
import { answerWishes } from '../answer-wishes.ts'
import { decideFromAfar } from './decide-from-afar.ts'
import { parseEnforcement, type Enforcement } from './parse-enforcement.ts'

/** Runs in a process of its own: what an agent sends may take long to judge, and is stopped then. */

export interface JudgeWish extends Pick<Enforcement, 'text' | 'file'> {
  readonly event: HookEvent
}

export type Judged = { readonly decision: Decision } | { readonly problem: string }

let held: Enforcement | undefined

answerWishes(({ text, file, event }: JudgeWish): Judged => {
  if (held?.text !== text) held = parseEnforcement(text, file)
  try {
    return { decision: decideFromAfar(held.policy, event) }
  } catch (error) {
    if (error instanceof PmlError) return { problem: error.message }
    throw error
  }
})
