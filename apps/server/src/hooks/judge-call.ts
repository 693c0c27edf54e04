import { askerIn, findingsOf, printBlock, type Outcome } from '@pml/hooks'
import type { Actor } from '../keys/actor.ts'
import type { Hooks } from './hooks.ts'
import type { SizedEvent } from './judge.ts'
import { portableEvent } from './portable-event.ts'
import { seekApproval, seekingIn } from './seek-approval.ts'
import { tellFindings } from './tell-findings.ts'

/** What an agent may do, by the policy of the registry. What is held back, or passes by an approval, is written down. */
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
      await tellFindings(hooks, actor, {
        asker: askerIn(event),
        findings: decision.findings,
        action: 'blocked',
      })
      return { kind: 'block', text: printBlock(decision) }
    default:
      throw new Error('unreachable: every verdict was named')
  }
}
