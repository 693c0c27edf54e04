import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { PmlError } from '@pml/core/errors'
import type { EnforcementEvent } from '@pml/hooks'
import type { RegistryLink } from './world/registry-link.ts'

/** Events to be sent to the registry: one file each, so that writers do not collide and a crash leaves no partial line. */
export interface EventQueue {
  add(event: EnforcementEvent): void
  count(): { waiting: number; refused: number }
  /**
   * Sends the events in order, for a limited time. Stops silently at the first failure; the remaining events wait for the
   * next call.
   */
  deliver(link: RegistryLink, now: () => number): Promise<void>
}

const BATCH = 100
const MOST_BATCHES = 20
/** How long an unreachable registry is not tried again: every call would wait for it. */
const REST_MS = 30_000
/** The total time: a decided call waits for it. Events that arrive after it are deduplicated by their id. */
const DELIVERY_MS = 2000
const eventFile = /^\d{9}\.json$/

export function openEventQueue(folder: string): EventQueue {
  const waiting = () =>
    list(folder)
      .filter((name) => eventFile.test(name))
      .sort()
  return {
    add: (event) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const fresh = join(folder, `${crypto.randomUUID()}.tmp`)
      writeFileSync(fresh, JSON.stringify(event), { mode: 0o600, flag: 'wx' })
      let number = Number(waiting().at(-1)?.slice(0, 9) ?? 0)
      while (!tryLink(fresh, join(folder, `${String(++number).padStart(9, '0')}.json`)));
      unlinkSync(fresh)
    },
    count: () => ({
      waiting: waiting().length,
      refused: list(folder).filter((name) => name.endsWith('.bad')).length,
    }),
    deliver: async (link, now) => {
      if (isResting(folder, now())) return
      const over = after(DELIVERY_MS)
      let most = BATCH
      for (let batch = 0; batch < MOST_BATCHES; batch++) {
        const names = waiting().slice(0, most)
        if (names.length === 0) return
        const fate = await Promise.race([send(link, readEvents(folder, names)), over])
        if (fate === 'unreachable') return rest(folder, now())
        // A refused event must not block the others: sending one at a time finds it.
        if (fate === 'refused' && names.length > 1) most = 1
        else for (const name of names) leave(join(folder, name), fate)
      }
    },
  }
}

type Fate = 'delivered' | 'refused' | 'unreachable'

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Returns false if another process has taken this number. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** A damaged event is set aside, where "pml hooks status" counts it: it must not block the others. */
function readEvents(folder: string, names: readonly string[]): EnforcementEvent[] {
  return names.flatMap((name) => {
    const file = join(folder, name)
    try {
      return [JSON.parse(readFileSync(file, 'utf8')) as EnforcementEvent]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') leave(file, 'refused')
      return []
    }
  })
}

async function send(link: RegistryLink, events: readonly EnforcementEvent[]): Promise<Fate> {
  if (events.length === 0) return 'delivered'
  try {
    await link.post('hooks/events', { events })
    return 'delivered'
  } catch (error) {
    const isRefused =
      error instanceof PmlError && ['invalid_body', 'invalid_json', 'too_large'].includes(error.code)
    return isRefused ? 'refused' : 'unreachable'
  }
}

function after(timeoutMs: number): Promise<Fate> {
  return new Promise((done) => setTimeout(done, timeoutMs, 'unreachable').unref())
}

function isResting(folder: string, now: number): boolean {
  const at = statSync(join(folder, 'unreachable'), { throwIfNoEntry: false })?.mtimeMs
  return at !== undefined && Math.abs(now - at) < REST_MS
}

function rest(folder: string, now: number): void {
  const file = join(folder, 'unreachable')
  writeFileSync(file, '', { mode: 0o600 })
  utimesSync(file, now / 1000, now / 1000)
}

/** Another process may have sent it too; the registry stores it once. */
function leave(file: string, fate: Fate): void {
  try {
    if (fate === 'refused') renameSync(file, `${file}.bad`)
    else unlinkSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
