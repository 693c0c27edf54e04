import { PmlError } from '@pml/core'
import { showInvisible } from '@pml/core/show-invisible'
import {
  explainUntrusted,
  type TrustState,
  type WorkspaceConfigFile,
} from '../workspace/workspace-config-file.ts'
import type { WorkspaceTrust } from '../workspace/workspace-trust.ts'
import type { CommandContext } from './command.ts'

interface Agreeing {
  readonly config: WorkspaceConfigFile
  readonly trust: WorkspaceTrust
  /** The person said yes on the command line. */
  readonly isSure: boolean
  /** If nobody can be asked, it is a notice instead of an error. */
  readonly isOptional?: boolean
}

type Context = Pick<CommandContext, 'ops' | 'screen' | 'confirm' | 'person'>

/** Shows what `.pml.json` allows and asks the person to consent to exactly that. Returns whether they did. */
export async function agreeHere(context: Context, { config, trust, ...request }: Agreeing): Promise<boolean> {
  const state = await config.readTrust()
  if (state.unagreed.length === 0) return true
  if (!(await isAgreedBy(context, state, request))) return false
  // The file may have changed meanwhile; the consent covers what was shown.
  await trust.change(() => state.parts)
  return true
}

/** The only place that takes a person's consent, so every check that it is a person belongs here. */
async function isAgreedBy(
  { ops, screen, confirm, person }: Context,
  state: TrustState,
  { isSure, isOptional = false }: Pick<Agreeing, 'isSure' | 'isOptional'>,
): Promise<boolean> {
  const text = printTrustQuestion(state)
  if (isSure || screen)
    await person.prove({ by: 'terminal' }, { what: 'agree to .pml.json', command: 'pml trust' })
  if (isSure) {
    ops.tell(text)
    return true
  }
  if (screen) return confirm(text)
  if (!isOptional)
    throw new PmlError(
      'not_trusted',
      'Cannot consent for a person: this is not a terminal; run "pml trust" in one, or "pml trust --yes" after reading .pml.json',
    )
  ops.tell(`None of it is used yet: ${explainUntrusted(state)}`)
  return false
}

/** Marks new parts. Parts without a length limit come last, so that a long list cannot hide the others. */
function printTrustQuestion({ parts: { gives, denies }, unagreed }: TrustState): string {
  const wide = unagreed.filter((part) => part === 'allow "*"' || part.endsWith(' everything'))
  const lines = [
    'This .pml.json allows (+ is new to you):',
    ...printParts({ gives, unagreed }),
    ...denies.map((part) => `    ${part}`),
    `New to you: ${unagreed.length} of ${gives.length}`,
    ...wide.map((part) => `  without any limit: ${part}`),
  ]
  return showInvisible(lines.join('\n'))
}

/** A line for each power of the file; `+` and `-` mark changes without consent. */
export function printParts({
  gives,
  unagreed,
}: {
  readonly gives: readonly string[]
  readonly unagreed: readonly string[]
}): string[] {
  const [isGiven, isNew] = [new Set(gives), new Set(unagreed)]
  const lost = unagreed.filter((part) => !isGiven.has(part))
  return [
    ...gives.map((part) => `${isNew.has(part) ? '  + ' : '    '}${part}`),
    ...lost.map((part) => `  - ${part}`),
  ]
}
