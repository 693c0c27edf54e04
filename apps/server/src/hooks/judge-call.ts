import { askerIn, findingsOf, printBlock, type Outcome } from '@pml/hooks'
import type { Actor } from '../keys/actor.ts'
import type { Hooks } from './hooks.ts'
import type { SizedEvent } from './judge.ts'
import { portableEvent } from './portable-event.ts'
import { seekApproval, seekingIn } from './seek-approval.ts'
import { recordFindings } from './record-findings.ts'

/** Decides about a call by the registry's policy. Records calls that are blocked or allowed by an approval. */
export async function judgeCall(hooks: Hooks, actor: Actor, given: SizedEvent): Promise<Outcome> {
  const event = portableEvent(given.event)
  const decision = await hooks.judge.decide(hooks.enforcement(), { ...given, event })
  switch (decision.verdict) {
    case 'pass':
      return { kind: 'pass' }
    case 'ask':
      return { kind: 'ask', text: printBlock(decision) }
    case 'approval': {
      const { wanted } = decision
      const sought = await seekApproval(hooks, actor, seekingIn(event, wanted))
      if (sought.approved) return { kind: 'pass' }
      return { kind: 'block', text: printBlock({ ...sought, findings: findingsOf(wanted) }) }
    }
    case 'block':
      await recordFindings(hooks, actor, {
        asker: askerIn(event),
        findings: decision.findings,
        action: 'blocked',
      })
      return { kind: 'block', text: printBlock(decision) }
    default:
      throw new Error('unreachable: every verdict is handled')
  }
}
