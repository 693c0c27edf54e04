import type { HookEvent, JsonObject } from '../event.ts'
import type { Outcome, Reply } from '../outcome.ts'

/** How one coding agent sends events and reads answers. */
export interface Adapter {
  readonly agent: string
  /**
   * Throws a PmlError `bad_request` that names the problem; the caller must deny then. `startedIn` is the folder
   * the command hook was started in, for agents that do not send it; unknown over HTTP.
   */
  parse(event: JsonObject, startedIn?: string): HookEvent
  /** For a command hook. */
  reply(event: HookEvent, outcome: Outcome): Reply
  /** For an HTTP hook: the body of the 200 response; empty if pml does not interfere. */
  replyBody(event: HookEvent, outcome: Outcome): string
}
