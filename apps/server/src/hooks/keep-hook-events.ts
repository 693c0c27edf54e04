import type { EventsKept } from '@pml/core/schemas'
import type { EnforcementEvent } from '@pml/hooks'
import type { Database, Transaction } from '../db/connect.ts'
import { auditEvent, hookEvent } from '../db/schema.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { describeHookEvent } from './describe-hook-event.ts'

/** Writes hook events to the audit log in the given order. An event that is sent again is stored once. */
export async function keepHookEvents(
  { orm }: Pick<Database, 'orm'>,
  actor: Actor,
  events: readonly EnforcementEvent[],
): Promise<EventsKept> {
  requireScope(actor, 'hook')
  return orm.transaction(async (tx) => {
    const fresh = await takeFresh(tx, events)
    if (fresh.length > 0)
      await tx
        .insert(auditEvent)
        .values(fresh.map((event) => ({ actor: actor.id, ...describeHookEvent(event) })))
    return { accepted: fresh.length, known: events.length - fresh.length }
  })
}

/** Returns the events with new ids. Inserts ids in a fixed order, so that two batches cannot deadlock. */
async function takeFresh(tx: Transaction, events: readonly EnforcementEvent[]): Promise<EnforcementEvent[]> {
  const ids = events.map(({ id }) => id)
  const taken = await tx
    .insert(hookEvent)
    .values([...new Set(ids)].toSorted().map((id) => ({ id })))
    .onConflictDoNothing()
    .returning({ id: hookEvent.id })
  const fresh = new Set(taken.map(({ id }) => id))
  return events.filter(({ id }, at) => fresh.has(id) && ids.indexOf(id) === at)
}
