import { PmlError } from '@pml/core/errors'
import { askerIn, findingsOf, printBlock, type HookEvent, type WantedApproval } from '@pml/hooks'
import type { RegistryLink } from './registry-link.ts'

interface Settling {
  readonly event: HookEvent
  readonly wanted: readonly [WantedApproval, ...WantedApproval[]]
  /** Undefined where no registry was set. */
  readonly link: RegistryLink | undefined
  readonly onUnreachable: 'deny' | 'allow'
  /** The name of the project in a folder for the registry. */
  projectOf(root: string): string
  /** Saves the content of the write. */
  save(content: WantedApproval): string | undefined
}

export type Settled =
  /** All of it was approved, and the registry has recorded that. */
  | { readonly kind: 'approved' }
  /** It is blocked, and the registry has recorded that. */
  | { readonly kind: 'blocked'; readonly text: string }
  /** The registry was unreachable; the event must be sent later. */
  | { readonly kind: 'unreachable'; readonly isAllowed: boolean; readonly text: string }

/** Asks the registry, which uses up approvals or stores the changes for review. */
export async function settleApproval(settling: Settling): Promise<Settled> {
  const { event, wanted, link } = settling
  if (!link) return unreachable(settling, 'no registry is set', 'deny')
  try {
    const answer = await link.post('hooks/approvals', {
      ...askerIn(event),
      wanted: wanted.map((one) => requestOf(one, settling)),
    })
    if (answer['approved'] === true) return { kind: 'approved' }
    const { action, notes } = answer
    if (answer['approved'] !== false || typeof action !== 'string' || !Array.isArray(notes))
      throw new PmlError('unavailable', 'Cannot ask the registry: it sent an unexpected response')
    return { kind: 'blocked', text: printHeld(settling, { action, notes: notes.map(String) }) }
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    // A registry that refuses is reachable, so the setting for outages does not apply.
    const choice = error.code === 'unavailable' ? settling.onUnreachable : 'deny'
    return unreachable(settling, error.message, choice)
  }
}

function requestOf({ root, path, content, findings: [finding] }: WantedApproval, { projectOf }: Settling) {
  const { rule, reason, effect } = finding
  const specialist = effect.kind === 'approval' ? effect.specialist : ''
  return { path, project: projectOf(root), content, rule, specialist, reason: reason.slice(0, 2000) }
}

/** Prints the block with the registry's instructions and reviewers' notes. */
function printHeld({ wanted, save }: Settling, said: { action: string; notes: string[] }): string {
  const saved = save(wanted[0])
  return printBlock({ findings: findingsOf(wanted), ...(saved === undefined ? {} : { saved }), ...said })
}

function unreachable({ wanted, save }: Settling, why: string, choice: 'deny' | 'allow'): Settled {
  const findings = findingsOf(wanted)
  if (choice === 'allow') return { kind: 'unreachable', isAllowed: true, text: why }
  const saved = save(wanted[0])
  const recover =
    'Set PML_REGISTRY_URL and PML_API_KEY (a key with the scope hook) for the agent, see that the registry answers ("pml hooks doctor"), then make exactly the same change again'
  return {
    kind: 'unreachable',
    isAllowed: false,
    text: printBlock({
      findings,
      ...(saved === undefined ? {} : { saved }),
      action: 'tell the person that the registry cannot be asked, and make the same change again when it can',
      notes: [`It needs approval, and nobody can be asked: ${why}.`, `${recover}.`],
    }),
  }
}
