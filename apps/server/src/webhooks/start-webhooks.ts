import type { ApprovalConfig, Webhook } from '@pml/core/approval-config'
import type { SealedEvents } from '../audit/follow-sealed.ts'
import { deliverNext, type DeliverDeps } from './deliver-next.ts'

interface Webhooks {
  stop(): Promise<void>
}

interface Deps extends DeliverDeps {
  readonly audit: SealedEvents
  readonly config: () => ApprovalConfig
  /** The values of `${NAME}` references. */
  readonly variables: ReadonlyMap<string, string>
}

/** The poll interval, for retries and for events that another process left. */
const LOOK_MS = 1000

/** Delivers decisions of every process to the configured webhooks. */
export function startWebhooks(deps: Deps): Webhooks {
  const busy = new Map<string, Promise<void>>()
  const missing = new Set<string>()
  let stopped = false

  function look(): void {
    if (stopped) return
    for (const hook of filledIn(deps.config().webhooks)) {
      if (busy.has(hook.url)) continue
      const delivering = deliverAll(hook).finally(() => busy.delete(hook.url))
      busy.set(hook.url, delivering)
    }
  }

  /** Fills in secrets. Skips webhooks without one, and logs each once. */
  function filledIn(hooks: readonly Webhook[]): Webhook[] {
    return hooks.flatMap((hook) => {
      const variable = hook.secret.slice('${'.length, -1)
      const secret = deps.variables.get(variable)
      if (secret) return { ...hook, secret }
      if (!missing.has(variable))
        deps.log.error(`a webhook cannot be used: ${variable} is not set in the environment`)
      missing.add(variable)
      return []
    })
  }

  async function deliverAll(hook: Webhook): Promise<void> {
    try {
      let isMore = true
      while (isMore) isMore = (await deliverNext(deps, hook)) && !stopped
    } catch (error) {
      deps.log.debug({ err: error }, 'could not deliver webhooks; will retry')
    }
  }

  const unsubscribe = deps.audit.subscribe(look)
  const timer = setInterval(look, LOOK_MS)
  return {
    stop: async () => {
      stopped = true
      unsubscribe()
      clearInterval(timer)
      await Promise.all(busy.values())
    },
  }
}
