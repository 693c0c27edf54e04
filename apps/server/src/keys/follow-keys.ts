import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { withDeadline } from '../db/deadline.ts'
import type { Actor } from './actor.ts'

/** Ends open streams and waits when their key is revoked or rotated on any replica, or expires. */
export interface KeyFollower {
  /** Calls `end` once, within a second after the key becomes invalid. Returns a function that stops watching. */
  watch(actor: Actor, end: () => void): () => void
  stop(): Promise<void>
}

interface Held {
  readonly id: string
  readonly secretAt: string
  readonly end: () => void
}

const CHANNEL = 'pml_key_changed'
/** Finds expired keys and missed notifications. */
const POLL_MS = 400
/** Lets a request that revokes its own key finish. */
const GRACE_MS = 200
const LOOK_DEADLINE_MS = 5000

export async function followKeys({ sql }: Database, log: Logger): Promise<KeyFollower> {
  const held = new Set<Held>()
  const ending = new Set<NodeJS.Timeout>()
  let again = false
  let looking: Promise<void> | undefined
  let stopped = false

  const subscription = await sql.listen(CHANNEL, look, look)
  const timer = setInterval(look, POLL_MS)

  /** Runs one check at a time, and another one if keys changed meanwhile. */
  function look(): void {
    again = true
    looking ??= lookUntilDone().finally(() => (looking = undefined))
  }

  async function lookUntilDone(): Promise<void> {
    try {
      while (again) {
        again = false
        if (!stopped && held.size > 0) await withDeadline(endInvalid(), LOOK_DEADLINE_MS)
      }
    } catch (error) {
      log.debug({ err: error }, 'cannot check the keys in use; will retry')
    }
  }

  async function endInvalid(): Promise<void> {
    const pairs = new Map([...held].map((one) => [pairOf(one), one]))
    const ids = [...pairs.values()].map(({ id }) => id)
    const secrets = [...pairs.values()].map(({ secretAt }) => secretAt)
    const rows = await sql<{ id: string; secretAt: string }[]>`
      select held.id, held.secret_at as "secretAt"
      from unnest(${ids}::text[], ${secrets}::text[]) as held (id, secret_at)
      left join api_key k on k.id = held.id
      where k.id is null or k.revoked_at is not null or k.expires_at <= now()
        or (extract(epoch from k.secret_at) * 1000000)::bigint::text <> held.secret_at`
    const invalid = new Set(rows.map(pairOf))
    for (const one of held) if (invalid.has(pairOf(one))) endSoon(one)
  }

  function endSoon(one: Held): void {
    held.delete(one)
    const timeout = setTimeout(() => {
      ending.delete(timeout)
      one.end()
    }, GRACE_MS)
    ending.add(timeout)
  }

  return {
    watch: ({ id, secretAt }, end) => {
      if (secretAt === undefined) return () => {}
      const one: Held = { id, secretAt, end }
      held.add(one)
      return () => void held.delete(one)
    },
    stop: async () => {
      stopped = true
      clearInterval(timer)
      for (const timeout of ending) clearTimeout(timeout)
      await looking
      await subscription
        .unlisten()
        .catch(() => log.debug('the database was gone before the subscription ended'))
    },
  }
}

function pairOf({ id, secretAt }: { id: string; secretAt: string }): string {
  return `${id} ${secretAt}`
}
