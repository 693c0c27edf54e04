import { PmlError } from '@pml/core'
import { showInvisible } from '@pml/core/show-invisible'
import type { OwnContext } from './own-tools.ts'
import { printParts } from './print-trust.ts'
import {
  explainUntrusted,
  type TrustState,
  type WorkspaceConfigFile,
} from '../workspace/workspace-config-file.ts'
import type { WorkspaceTrust } from '../workspace/workspace-trust.ts'

export interface Agreeing {
  readonly config: WorkspaceConfigFile
  readonly trust: WorkspaceTrust
  /** The person said yes on the command line. */
  readonly isSure: boolean
  /** Where nobody can be asked, it is told instead of being an error. */
  readonly isOptional?: boolean
}

type Context = Pick<OwnContext, 'ops' | 'screen' | 'confirm' | 'person'>

/** Shows what `.pml.json` gives and has the person agree to exactly that. False where the person did not. */
export async function agreeHere(context: Context, { config, trust, ...request }: Agreeing): Promise<boolean> {
  const state = await config.readTrust()
  if (state.unagreed.length === 0) return true
  if (!(await isAgreedBy(context, state, request))) return false
  // What was shown, and not what the file has become meanwhile.
  await trust.change(() => state.parts)
  return true
}

/** The one place where a person's answer is taken: whatever proves that it was a person belongs here. */
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
      'Cannot agree for a person: nobody is at a terminal here; run "pml trust" in one, or "pml trust --yes" after reading .pml.json',
    )
  ops.tell(`Nothing of it is used yet: ${explainUntrusted(state)}`)
  return false
}

/** What is new is marked. What gives everything of a kind is said last, where a long list cannot hide it. */
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
