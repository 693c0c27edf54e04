import type { lookup } from 'node:dns'
import { PmlError, type Reference } from '@pml/core'
import type { Logger } from 'pino'
import type { CurrentEntries } from '../catalog/current-entries.ts'
import { requireCurrent } from '../catalog/entry.ts'
import { readConnection } from '../catalog/read-connection.ts'
import type { Database } from '../db/connect.ts'
import { requireProxy, type Actor } from '../keys/actor.ts'
import { createAllowList, type AllowList } from './allow-list.ts'
import type { Variables } from './fill-references.ts'
import { headersForServer } from './headers.ts'
import { createSecretHider, type SecretHider } from './hide-secrets.ts'
import type { ProxyLimits } from './limits.ts'
import { passOn } from './pass-on.ts'
import { createSlots } from './slots.ts'
import { targetOf } from './target.ts'
import { createUpstream, type Message } from './upstream.ts'

interface ProxyDeps {
  readonly db: Database
  readonly entries: CurrentEntries
  readonly log: Logger
  readonly variables: Variables
  /** The allow list for servers in the configuration. */
  readonly allow: AllowList
  readonly lookup: typeof lookup
  readonly limits: ProxyLimits
}

export interface ProxyCall {
  readonly reference: Reference
  readonly method: Message['method']
  readonly headers: Headers
  /** Reads the body for an authorized actor and passes it to `use`; null if the method has none. */
  readonly withBody: <Value>(actor: Actor, use: (body: Uint8Array | null) => Promise<Value>) => Promise<Value>
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Closes the client's connection in the middle of a response. */
  readonly hangUp: () => void
  readonly requestId: string
}

/** Calls servers of type `http` with routing `server` for clients, with the operator's secrets. */
export interface Proxy {
  call(actor: Actor, call: ProxyCall): Promise<Response>
  readonly running: number
  close(): Promise<void>
}

export function createProxy({ db, entries, log, variables, allow, lookup, limits }: ProxyDeps): Proxy {
  const toConfigured = createUpstream({ allow, lookup, limits })
  const toPublished = createUpstream({ allow: createAllowList([]), lookup, limits })
  const slots = createSlots(limits)
  const hiderOf = rememberHiders()

  async function call(actor: Actor, request: ProxyCall): Promise<Response> {
    const { reference, method, signal, hangUp, requestId } = request
    const { name, hash } = reference
    requireProxy(actor, name)
    const entry = await entries.read(name, actor)
    requireCurrent(entry, hash)
    const target = targetOf(entry, { connection: await readConnection(db, entry), variables })
    const release = slots.take(actor.id)
    const onEnd = (failure: string | undefined) => {
      release()
      if (failure === undefined) return
      log.warn({ requestId, name, reason: failure }, 'a proxied response was cut off')
      hangUp()
    }
    try {
      const upstream = target.isConfigured ? toConfigured : toPublished
      const headers = headersForServer(request.headers, target.headers)
      const answer = await request.withBody(actor, (body) =>
        upstream.send(target, { method, headers, body, signal }),
      )
      return passOn(answer, { place: target.place, limits, hider: hiderOf(target.secrets), onEnd })
    } catch (error) {
      release()
      const isTheirs = error instanceof PmlError && error.code === 'upstream_failed'
      if (isTheirs) log.warn({ requestId, name, reason: error.message }, 'a proxied call failed')
      throw error
    }
  }

  return {
    call,
    get running() {
      return slots.taken
    },
    close: async () => {
      await Promise.all([toConfigured.close(), toPublished.close()])
    },
  }
}

const MOST_HIDERS = 100

/** Keeps hiders between calls, so that each reuses its computed states. */
function rememberHiders(): (secrets: readonly string[]) => SecretHider {
  const known = new Map<string, SecretHider>()
  return (secrets) => {
    const key = JSON.stringify(secrets)
    const hider = known.get(key) ?? createSecretHider(secrets)
    if (known.size >= MOST_HIDERS) known.clear()
    known.set(key, hider)
    return hider
  }
}
