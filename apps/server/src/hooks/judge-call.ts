import { decide, printBlock, type Facts, type HookEvent, type Outcome, type Policy } from '@pml/hooks'
import { readCommand, readPowerShell, type ShellFacts } from '@pml/hooks/shell'
import type { Actor } from '../keys/actor.ts'
import { askerOf } from './asker.ts'
import { farWorld } from './far-world.ts'
import type { Hooks } from './hooks.ts'
import { portableEvent } from './portable-event.ts'
import { findingsOf, seekApproval } from './seek-approval.ts'
import { tellFindings } from './tell-findings.ts'

/** What an agent may do, by the policy of the registry. What is held back, or passes by an approval, is written down. */
export async function judgeCall(hooks: Hooks, actor: Actor, given: HookEvent): Promise<Outcome> {
  const event = portableEvent(given)
  const decision = decide(event, factsOf(hooks.policy(), event))
  switch (decision.verdict) {
    case 'pass':
      return { kind: 'pass' }
    case 'ask':
      return { kind: 'ask', text: printBlock(decision) }
    case 'approval': {
      const { wanted } = decision
      const sought = await seekApproval(hooks, actor, { asker: askerOf(event), wanted })
      if (sought.approved) return { kind: 'pass' }
      return { kind: 'block', text: printBlock({ ...sought, findings: findingsOf(wanted) }) }
    }
    case 'block':
      await tellFindings(hooks, actor, {
        asker: askerOf(event),
        findings: decision.findings,
        action: 'blocked',
      })
      return { kind: 'block', text: printBlock(decision) }
    default:
      throw new Error('unreachable: every verdict was named')
  }
}

/** Globs are from the folder that the agent works in. What a lockfile says is only known where the lockfile is. */
function factsOf(policy: Policy, event: HookEvent): Facts {
  const guarded = [{ root: event.cwd, policy }]
  return { guarded, world: farWorld, shell: findShellFacts(event), refusals: [] }
}

function findShellFacts({ cwd, call }: HookEvent): ShellFacts | undefined {
  if (call?.kind !== 'shell') return undefined
  const read = call.dialect === 'powershell' ? readPowerShell : readCommand
  return read(call.command, { cwd, home: farWorld.home })
}
