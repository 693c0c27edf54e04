import type { Scope } from '@pml/hooks/agents'
import type { Ops } from '../machine/ops.ts'
import { findInProject, ownCommand } from '../machine/own-command.ts'

/** How a client starts the gateway. */
interface GatewayLine {
  readonly command: string
  readonly args: readonly string[]
  /** The file that it runs is found on this machine only. */
  readonly isOfThisMachine: boolean
}

export async function gatewayLineFor(
  { execPath }: Pick<Ops, 'execPath'>,
  { scope, root, inProject }: { scope: Scope; root: string; inProject: string | undefined },
): Promise<GatewayLine> {
  const shared = scope === 'project' && inProject !== undefined ? await findInProject(root) : undefined
  return {
    // A project is for everyone, wherever their Node is; clients of a user are started where no PATH was set up.
    command: scope === 'project' ? 'node' : execPath,
    args: [shared === undefined ? ownCommand() : `${inProject}${shared}`, 'serve'],
    isOfThisMachine: shared === undefined,
  }
}
