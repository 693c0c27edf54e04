import type { HookEvent, JsonObject } from '../event.ts'
import type { Outcome, Reply } from '../outcome.ts'

/** What we know of one coding agent: how it speaks and what it understands. */
export interface Adapter {
  readonly agent: string
  /**
   * Throws a PmlError `bad_request` that names what is wrong; whoever calls it denies then. `startedIn` is the folder
   * that a command hook was started in, for agents that do not say where they work; nobody knows it over http.
   */
  parse(event: JsonObject, startedIn?: string): HookEvent
  /** For a command hook. */
  reply(event: HookEvent, outcome: Outcome): Reply
  /** For an http hook: the body of the answer 200; nothing where we stay out. */
  replyBody(event: HookEvent, outcome: Outcome): string
}
