import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookEvent } from '@pml/hooks'
import { replaceFile } from '../../machine/files/replace-file.ts'

/** A call that may write files it does not name, and may still be running. */
export interface OpenCall {
  readonly id: string | undefined
  readonly tool: string
  readonly command: string
  readonly at: number
}

export interface Session {
  /** The roots of its events: one that loses its marker files is still watched. */
  readonly roots: readonly string[]
  readonly open: readonly OpenCall[]
}

export interface Sessions {
  /** The session before this event; undefined for its first event. */
  readonly known: Session | undefined
  /** Open calls in matching sessions. */
  openIn(isMeant: (session: Session) => boolean): OpenCall[]
  /** Stores the session if it has changed. */
  write(session: Session): void
}

const MOST_SESSIONS = 50
const MOST_CALLS = 64
const CALL_MS = 3_600_000

/** The sessions of this person's agents, the most recently active last. */
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

/** Removes a finished call: by its id if the agent has ids, else the oldest. */
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
