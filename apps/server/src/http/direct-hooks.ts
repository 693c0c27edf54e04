import type { IncomingMessage } from 'node:http'
import { PmlError } from '@pml/core'
import { findAdapter, type Adapter } from '@pml/hooks/agents'
import type { Logger } from 'pino'
import { answerHook } from '../hooks/answer-hook.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { requireScope } from '../keys/actor.ts'
import type { Answer } from './answer.ts'
import { findActor, type KeyDeps } from './direct-approvals.ts'
import { DIRECT_LIMIT_BYTES, isSmall, type DirectCall } from './direct-calls.ts'
import { hookAnswer } from './hook-answer.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Bodies, Replayable } from './read-body.ts'

export interface DirectHookDeps extends KeyDeps {
  readonly hooks: Hooks
  readonly writes: RateLimit
  readonly log: Logger
  readonly bodies: Bodies
}

const HOOKS = '/hooks/'

/** Events of agents, sent in the usual way with a good key; the routes give the same answers slower. */
export function findDirectHook(
  deps: DirectHookDeps,
  { method, url = '', headers }: IncomingMessage,
): DirectCall | undefined {
  const isUsual =
    method === 'POST' &&
    url.startsWith(HOOKS) &&
    headers.expect === undefined &&
    headers['content-type'] === 'application/json' &&
    isSmall(Number(headers['content-length']))
  const adapter = isUsual ? findAdapter(url.slice(HOOKS.length)) : undefined
  if (!adapter) return undefined
  return {
    route: '/hooks/:agent',
    answer: (request, _, requestId) => answerEvent(deps, { request, requestId, adapter }),
  }
}

async function answerEvent(
  deps: DirectHookDeps,
  { request, requestId, adapter }: { request: IncomingMessage; requestId: string; adapter: Adapter },
): Promise<Answer | undefined> {
  const admit = async () => {
    const actor = await findActor(deps, request)
    if (!actor) throw new PmlError('unauthorized', 'Cannot do this without a key')
    requireScope(actor, 'hook')
    deps.writes.take(actor.id)
    const bytes = await deps.bodies.read(request, { actor, limitBytes: DIRECT_LIMIT_BYTES }, (whole) => whole)
    Object.assign(request, { rawBody: bytes } satisfies Replayable)
    return { actor, bytes }
  }
  try {
    return hookAnswer(
      await answerHook({ ...deps.hooks, log: deps.log }, { adapter, requestId, admit }),
      requestId,
    )
  } catch (error) {
    // The routes count and refuse those who are not let in.
    if (error instanceof PmlError) return undefined
    throw error
  }
}
