import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookEvent } from '@pml/hooks'
import { replaceFile } from '../../machine/files/replace-file.ts'

/** A call that may have written by unknown means, and is not known to be over. */
export interface OpenCall {
  readonly id: string | undefined
  readonly tool: string
  readonly command: string
  readonly at: number
}

export interface Session {
  /** Those of its events: one that loses its marks is still looked after. */
  readonly roots: readonly string[]
  readonly open: readonly OpenCall[]
}

export interface Sessions {
  /** As it was before this event; undefined for its first one. */
  readonly known: Session | undefined
  /** Calls that are open in these sessions. */
  openIn(isMeant: (session: Session) => boolean): OpenCall[]
  /** Remembers the session, unless nothing is new. */
  write(session: Session): void
}

const MOST_SESSIONS = 50
const MOST_CALLS = 64
const CALL_MS = 3_600_000

/** The sessions of this person's agents, in the order of their last news. */
export function openSessions(folder: string, { name, now }: { name: string; now: number }): Sessions {
  const file = join(folder, 'sessions.json')
  const all = read(file)
  const known = all[name]
  return {
    known,
    openIn: (isMeant) =>
      Object.values(all)
        .filter(isMeant)
        .flatMap(({ open }) => open.filter(({ at }) => Math.abs(now - at) < CALL_MS)),
    write: ({ roots, open }) => {
      const session = { roots, open: open.slice(-MOST_CALLS) }
      if (JSON.stringify(session) === JSON.stringify(known)) return
      const others = Object.entries(all).filter(([other]) => other !== name)
      const kept = Object.fromEntries([...others.slice(1 - MOST_SESSIONS), [name, session]])
      replaceFile(file, JSON.stringify(kept))
    },
  }
}

export function sessionOf({ agent, session }: HookEvent): string {
  return `${agent} ${session ?? ''}`
}

/** By its name where the agent has names for calls, else the oldest. */
export function withoutCall(open: readonly OpenCall[], { callId }: HookEvent): OpenCall[] {
  const at = open.findIndex(({ id }) => callId === undefined || id === undefined || id === callId)
  return open.filter((_, index) => index !== at)
}

function read(file: string): Record<string, Session> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Session>
  } catch {
    return {}
  }
}
