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
import { tellFindings } from './tell-findings.ts'

/** Who asks, and the event as it was sent. */
interface Admitted {
  readonly actor: Actor
  readonly bytes: Uint8Array
}

export interface HookRequest {
  readonly adapter: Adapter
  readonly requestId: string
  /** Refuses callers without a good key, and what is no event by its size or its type. */
  admit(): Promise<Admitted>
}

/** With what is written down after it, less than the 30 seconds after which some agents go on without an answer. */
const DECISION_MS = 10_000

/** For the operator of the hook: no decision can be told to whoever is not let in. */
const refusals = new Set([401, 403, 413, 415])

/**
 * The body of the answer, in the agent's own form; empty where the registry stays out. This is the one place where hooks
 * over HTTP fail closed: agents let a call through when a hook fails, so whatever goes wrong is told as a no.
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
    // What is not understood may be the database, which is not waited for a second time.
    if (actor && error instanceof PmlError && error.code !== 'unavailable')
      await tellFindings(hooks, actor, {
        asker: askerIn(event),
        findings: [finding],
        action: 'blocked',
      }).catch((err) => hooks.log.error({ err }, 'a refused call could not be written to the audit log'))
    return adapter.replyBody(event, { kind: 'block', text: printBlock({ findings: [finding] }) })
  }
}

/** Until it was read it is taken for what must not pass. */
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
