import type { IncomingMessage } from 'node:http'
import { spending } from '@pml/core/schemas'
import type { Approvals } from '../approvals/approvals.ts'
import { checkApproval } from '../approvals/check-approval.ts'
import { spendApproval } from '../approvals/spend-approval.ts'
import type { Database } from '../db/connect.ts'
import { findRefusal, type Actor } from '../keys/actor.ts'
import { authenticate, RefusedKey } from '../keys/authenticate.ts'
import type { FindKey } from '../keys/find-key.ts'
import { bytesOf, corsHeaders, type Answer } from './answer.ts'
import { DIRECT_LIMIT_BYTES, isSmall, type DirectCall } from './direct-calls.ts'
import { parseBody } from './parse-body.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Bodies } from './read-body.ts'
import { parseJson } from './read-json.ts'
import { unkept } from './tool-answer.ts'

export interface KeyDeps {
  readonly db: Database
  readonly findKey: FindKey
}

export interface DirectApprovalDeps extends KeyDeps {
  readonly approvals: Approvals
  readonly writes: RateLimit
  readonly bodies: Bodies
}

const CHECK = '/approvals/check?hash='
const SPEND = '/approvals/spend'
const plainHash = /^sha256-[0-9a-f]{64}$/

/** What a hook asks before it lets a write happen, sent in the usual way; the routes give the same answers slower. */
export function findDirectApproval(
  deps: DirectApprovalDeps,
  { method, url = '', headers }: IncomingMessage,
): DirectCall | undefined {
  if (method === 'GET' && url.startsWith(CHECK)) {
    const contentHash = url.slice(CHECK.length)
    if (!plainHash.test(contentHash)) return undefined
    return { route: '/approvals/check', answer: (request) => answerCheck(deps, request, contentHash) }
  }
  const isSpend =
    method === 'POST' &&
    url === SPEND &&
    headers.expect === undefined &&
    headers['content-type'] === 'application/json' &&
    isSmall(Number(headers['content-length']))
  if (!isSpend) return undefined
  return { route: SPEND, answer: (request, _, requestId) => answerSpend(deps, request, requestId) }
}

/** Whose key it is and what is approved are asked at the same time. */
async function answerCheck(
  deps: DirectApprovalDeps,
  request: IncomingMessage,
  contentHash: string,
): Promise<Answer | undefined> {
  const { approvals } = deps
  const finding = approvals.findApproval({ contentHash, path: undefined, project: '' })
  const [actor, found] = await Promise.all([findActor(deps, request), finding])
  if (!actor) return undefined
  return answerOf(await checkApproval(approvals, actor, { contentHash, found }), corsHeaders)
}

async function answerSpend(
  deps: DirectApprovalDeps,
  request: IncomingMessage,
  requestId: string,
): Promise<Answer | undefined> {
  const actor = await findActor(deps, request)
  if (!actor || findRefusal(actor, 'hook')) return undefined
  deps.writes.take(actor.id)
  const body = await deps.bodies.read(request, { actor, limitBytes: DIRECT_LIMIT_BYTES }, (bytes) =>
    parseJson(bytes),
  )
  const wanted = parseBody(spending, body)
  return answerOf(await spendApproval(deps.approvals, actor, wanted), { 'X-Request-Id': requestId })
}

/** Undefined without a good key: the routes count and refuse those callers. */
export async function findActor(deps: KeyDeps, { headers }: IncomingMessage): Promise<Actor | undefined> {
  if (headers.authorization === undefined) return undefined
  try {
    return await authenticate(deps, headers.authorization)
  } catch (error) {
    if (error instanceof RefusedKey) return undefined
    throw error
  }
}

function answerOf(output: object, headers: Readonly<Record<string, string>>): Answer {
  const body = bytesOf(JSON.stringify(output))
  const own = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
  return { status: 200, headers: { ...unkept, ...own, ...headers }, body }
}
