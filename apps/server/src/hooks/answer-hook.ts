import { PmlError } from '@pml/core'
import { askerIn, isJsonObject, printBlock, type Finding, type HookEvent } from '@pml/hooks'
import type { Adapter } from '@pml/hooks/agents'
import type { Logger } from 'pino'
import { withDeadline } from '../db/deadline.ts'
import { explainFault } from '../wire/error-response.ts'
import { parseJson } from '../wire/read-json.ts'
import type { Actor } from '../keys/actor.ts'
import type { Hooks } from './hooks.ts'
import { judgeCall } from './judge-call.ts'
import { recordFindings } from './record-findings.ts'

/** The authenticated caller, and the event as it was sent. */
interface Admitted {
  readonly actor: Actor
  readonly bytes: Uint8Array
}

export interface HookRequest {
  readonly adapter: Adapter
  readonly requestId: string
  /** Refuses callers without a valid key, and bodies of the wrong size or type. */
  admit(): Promise<Admitted>
}

/** With the audit write after it, less than the 30 seconds after which some agents continue without a response. */
const DECISION_MS = 10_000

/** The statuses of requests that are refused before the event is read; the operator has to fix these. */
const refusals = new Set([401, 403, 413, 415])

/**
 * Returns the response body in the agent's format; empty if the registry has no objection. This is the one place where
 * hooks over HTTP fail closed: agents run a call when its hook fails, so every failure blocks the call.
 */
export async function answerHook(
  hooks: Hooks & { readonly log: Logger },
  request: HookRequest,
): Promise<string> {
  const { adapter } = request
  let actor: Actor | undefined
  let event = unseenEvent(adapter)
  const answer = async () => {
    const admitted = await request.admit()
    actor = admitted.actor
    event = parseEvent(adapter, admitted.bytes)
    if (event.moment !== 'before-tool') return ''
    const sizeBytes = admitted.bytes.length
    return adapter.replyBody(event, await judgeCall(hooks, actor, { event, sizeBytes }))
  }
  try {
    return await withDeadline(answer(), DECISION_MS)
  } catch (error) {
    if (!actor && error instanceof PmlError && refusals.has(error.status)) throw error
    const finding = failureOf(error, event, { ...hooks, ...request })
    // Other errors may come from the database, and waiting for it again would take too long.
    if (actor && error instanceof PmlError && error.code !== 'unavailable')
      await recordFindings(hooks, actor, {
        asker: askerIn(event),
        findings: [finding],
        action: 'blocked',
      }).catch((err) => hooks.log.error({ err }, 'could not write a refused call to the audit log'))
    return adapter.replyBody(event, { kind: 'block', text: printBlock({ findings: [finding] }) })
  }
}

/** Stands in for an event that could not be read; it counts as a call to block. */
function unseenEvent({ agent }: Adapter): HookEvent {
  return {
    agent,
    moment: 'before-tool',
    session: undefined,
    cwd: '/',
    call: undefined,
    changedFile: undefined,
    mayAsk: false,
  }
}

function parseEvent(adapter: Adapter, bytes: Uint8Array): HookEvent {
  const event = parseJson(bytes)
  if (isJsonObject(event)) return adapter.parse(event)
  throw new PmlError('bad_request', `Cannot read the event of ${adapter.agent}: expected a JSON object`)
}

function failureOf(
  error: unknown,
  { call }: HookEvent,
  { log, requestId }: { log: Logger; requestId: string },
): Finding {
  const known = error instanceof PmlError ? error : explainFault(error, { log, requestId })
  return {
    rule: known.code === 'invalid_config' ? 'POLICY_UNREADABLE' : 'HOOK_FAILED',
    subject: call?.tool ?? '',
    reason: `The registry could not decide about this call, so it is refused: ${known.message}`,
    suggestion: '',
    action: 'tell the person that the registry could not decide',
    isCorrection: false,
    effect: { kind: 'block' },
  }
}
