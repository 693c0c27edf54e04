import { createHash, randomBytes } from 'node:crypto'
import type { Database } from '../src/db/connect.ts'
import type { ChangeStatus, PatternKind } from '../src/db/schema.ts'

export interface TestChange {
  readonly path?: string
  readonly type?: string
  readonly content?: string
  readonly sizeBytes?: number
  readonly invisible?: number
  readonly shape?: string
  readonly agent?: string
  readonly session?: string
  /** The key that asked. */
  readonly key?: string
  readonly status?: ChangeStatus
  readonly blockedAt?: Date
  /** Seconds from block to decision; undefined leaves the change open. */
  readonly decidedAfterSeconds?: number
  readonly specialist?: string | null
  readonly decidedBy?: string
  readonly reason?: string
  readonly expiresAt?: Date
  readonly usedAt?: Date
}

export interface TestEvent {
  readonly action: string
  readonly at?: Date
  readonly actor?: string
  readonly subject?: string
  readonly detail?: Readonly<Record<string, unknown>>
}

export interface TestPattern {
  readonly id?: string
  readonly kind?: PatternKind
  readonly type?: string
  readonly pattern?: string
  readonly example?: string
  readonly specialist?: string
  readonly uses?: number
  readonly overturned?: number
  readonly lastUsedAt?: Date
  readonly removedAt?: Date
}

/** One base for all times, so that differences between them are exact. */
const now = Date.now()

export function secondsAgo(seconds: number): Date {
  return new Date(now - seconds * 1000)
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const iso = (date: Date | undefined) => date?.toISOString() ?? null
const after = (date: Date, seconds: number) => new Date(date.getTime() + seconds * 1000)
const newId = (kind: string) => `${kind}_${randomBytes(8).toString('hex')}`

/** Inserts a change with chosen times, as real requests would, and returns its id. */
export async function putChange({ sql }: Database, request: TestChange): Promise<string> {
  const id = newId('chg')
  const content = request.content ?? `content of ${id}\n`
  const blockedAt = request.blockedAt ?? secondsAgo(3600)
  const isDecided = request.decidedAfterSeconds !== undefined
  const status = request.status ?? (isDecided ? 'approved' : 'blocked')
  const decidedAt = isDecided ? after(blockedAt, request.decidedAfterSeconds ?? 0) : undefined
  const isGood = status === 'approved'
  await sql`
    insert into change ${sql({
      id,
      content_hash: `sha256-${digestOf(content)}`,
      path: request.path ?? `src/${id}.ts`,
      tool: 'Write',
      type: request.type ?? 'other',
      status,
      size_bytes: request.sizeBytes ?? content.length,
      invisible: request.invisible ?? 0,
      shape: request.shape ?? null,
      blocked_at: iso(blockedAt),
      decided_at: iso(decidedAt),
      decided_by: isDecided ? (request.decidedBy ?? 'reviewer') : null,
      specialist: isDecided && request.specialist !== null ? (request.specialist ?? 'testguard') : null,
      reason: request.reason ?? null,
      token_hash: isGood ? digestOf(id) : null,
      expires_at: isGood ? iso(request.expiresAt ?? after(decidedAt ?? blockedAt, 300)) : null,
      used_at: iso(request.usedAt),
    })}`
  await sql`insert into change_content ${sql({ change_id: id, bytes: Buffer.from(content) })}`
  const { key = 'hook', agent = '', session = '' } = request
  await sql`insert into change_request ${sql({ change_id: id, key_id: key, agent, session })}`
  return id
}

/** Inserts an event with a chosen time; disables the triggers, which would set it. */
export function putEvent({ sql }: Database, request: TestEvent): Promise<number> {
  const { action, actor = 'somebody', subject = 'something', detail = {}, at = secondsAgo(3600) } = request
  return sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    const [row] = await tx<{ id: string }[]>`
      insert into audit_event (at, actor, action, subject, detail)
      values (${at.toISOString()}, ${actor}, ${action}, ${subject}, ${JSON.stringify(detail)}::text::jsonb)
      returning id`
    return Number(row?.id)
  }) as Promise<number>
}

export async function putPattern({ sql }: Database, request: TestPattern): Promise<string> {
  const id = request.id ?? newId('pat')
  await sql`
    insert into pattern ${sql({
      id,
      kind: request.kind ?? 'approve',
      type: request.type ?? 'test',
      pattern: request.pattern ?? `^${id}$`,
      reason: 'seen often',
      example: request.example ?? 'an example',
      specialist: request.specialist ?? null,
      added_by: 'reviewer',
      usage_count: request.uses ?? 0,
      overturned: request.overturned ?? 0,
      last_used_at: iso(request.lastUsedAt),
      removed_at: iso(request.removedAt),
    })}`
  return id
}

export async function clearChanges({ sql }: Database): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`truncate change, change_content, change_request, pattern, audit_event, audit_pending, audit_link`
  })
}
