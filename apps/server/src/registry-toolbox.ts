import { createToolbox, type AdmittingToolbox, type ToolRegistry } from '@pml/tools'
import type { Logger } from 'pino'
import { explainFault } from './wire/error-response.ts'
import type { RateLimit } from './wire/rate-limit.ts'
import { noteScope, type Refusals } from './keys/refusals.ts'
import { anonymous, findRefusal, type Actor } from './keys/actor.ts'
import type { RegistryContext, RegistryParts } from './registry-tools.ts'

/** The caller of a tool, by HTTP or MCP. */
export interface ToolCaller {
  readonly actor: Actor
  readonly address: string
  readonly requestId: string
}

interface ToolboxDeps {
  readonly log: Logger
  readonly failures: RateLimit
  readonly refusals: Refusals
  readonly writes: RateLimit
  readonly reads: RateLimit | undefined
}

/** Adds scopes and rate limits to the registry's tools. */
export function createRegistryToolbox(
  tools: ToolRegistry<RegistryContext>,
  registry: RegistryParts,
  { log, failures, refusals, writes, reads }: ToolboxDeps,
): AdmittingToolbox<ToolCaller> {
  return createToolbox<RegistryContext, ToolCaller>(tools, {
    findRefusal: ({ actor }, scope) => findRefusal(actor, scope),
    onRefusal: ({ actor, address }) => {
      if (actor === anonymous) failures.take(address)
      else
        void noteScope(refusals, actor, address).catch((err: unknown) =>
          log.error({ err }, 'cannot write a refusal to the audit log'),
        )
    },
    begin: ({ actor, address }, { effect }, limit) => {
      if (effect === 'read') reads?.take(address)
      else writes.take(actor.id)
      return { registry, actor, limit }
    },
    explain: ({ requestId }, fault) => explainFault(fault, { log, requestId }),
  })
}
