import { newKey } from '../../bench/hooks/new-key.ts'
import { startRegistry } from '../../bench/registry/start-registry.ts'
import type { Stops } from '../../bench/stops.ts'

/** A real registry, a key for hooks, and another person's key that approves. */
export interface LiveRegistry {
  readonly url: string
  readonly hookKey: string
  approve(change: string): Promise<void>
}

export async function startLiveRegistry(stops: Stops): Promise<LiveRegistry> {
  const registry = await startRegistry(stops)
  const hookKey = await newKey(registry, { scopes: ['hook'] })
  const approver = await newKey(registry, { scopes: ['approve'], specialist: 'testguard' })
  return {
    url: registry.url,
    hookKey,
    approve: async (change) => {
      const response = await fetch(`${registry.url}/approvals/changes/${change}/approve`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${approver}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ reason: 'the scenario says so' }),
      })
      if (!response.ok) throw new Error(`Cannot approve ${change}: ${await response.text()}`)
    },
  }
}
