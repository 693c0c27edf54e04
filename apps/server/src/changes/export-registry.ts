import type { RegistryFile } from '@pml/core/schemas'
import { asc, desc, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { auditEvent, change, pattern } from '../db/schema.ts'
import { requireScope, type Actor } from '../keys/actor.ts'

const MOST_EVENTS = 10_000
const MOST_APPROVALS = 10_000
const outcomes = {
  'change.approve': ['approved', 'pending'],
  'change.reject': ['rejected', 'rejected'],
  'change.spend': ['used', 'used'],
} as const
type LoggedAction = keyof typeof outcomes

/** Exports approvals, patterns and the log in the format of the hooks' registry file, with token hashes in place of tokens. */
export async function exportRegistry({ orm }: Pick<Database, 'orm'>, actor: Actor): Promise<RegistryFile> {
  requireScope(actor, 'approve')
  return orm.transaction(
    async (tx) => {
      const file = {
        version: '1.0',
        one_time_approvals: await readApprovals(tx),
        ...(await readPatterns(tx)),
        audit_log: await readLog(tx),
      }
      await recordEvent(tx, actor, { action: 'approval.export', subject: 'registry', detail: {} })
      return file
    },
    { isolationLevel: 'repeatable read' },
  )
}

async function readApprovals(tx: Transaction): Promise<RegistryFile['one_time_approvals']> {
  const rows = await tx
    .select()
    .from(change)
    .where(isNotNull(change.tokenHash))
    .orderBy(desc(change.decidedAt), desc(change.id))
    .limit(MOST_APPROVALS)
  const given = rows.toReversed().filter(({ status }) => status !== 'rejected')
  return Object.fromEntries(
    given.map((row) => [
      row.id,
      {
        content_hash: row.contentHash.replace('-', ':'),
        blocked_file: row.path,
        ...(row.project !== '' && { project: row.project }),
        expires: (row.expiresAt ?? row.blockedAt).toISOString(),
        created: (row.decidedAt ?? row.blockedAt).toISOString(),
        used: row.status === 'used',
        approved_by: row.specialist ?? '',
        reason: row.reason ?? '',
        token_sha256: row.tokenHash ?? undefined,
      },
    ]),
  )
}

async function readPatterns(
  tx: Transaction,
): Promise<Pick<RegistryFile, 'permanent_patterns' | 'blocked_patterns'>> {
  const rows = await tx.select().from(pattern).where(isNull(pattern.removedAt)).orderBy(asc(pattern.addedAt))
  const shown = rows.map(
    ({ kind, id, pattern: text, type, reason, example, specialist, addedBy, ...row }) => ({
      kind,
      id,
      common: {
        pattern: text,
        type,
        reason,
        example,
        added_by: specialist ?? addedBy,
        added_date: row.addedAt.toISOString().slice(0, 10),
      },
      uses: row.usageCount,
    }),
  )
  const ofKind = (wanted: string) => shown.filter(({ kind }) => kind === wanted)
  return {
    permanent_patterns: Object.fromEntries(
      ofKind('approve').map(({ id, common, uses }) => [
        id,
        { ...common, auto_approve: true, usage_count: uses },
      ]),
    ),
    blocked_patterns: Object.fromEntries(ofKind('block').map(({ id, common }) => [id, common])),
  }
}

/** Returns the most recent decisions, oldest first. */
async function readLog(tx: Transaction): Promise<RegistryFile['audit_log']> {
  const rows = await tx
    .select({
      at: auditEvent.at,
      action: sql<LoggedAction>`${auditEvent.action}`,
      detail: sql<Record<string, string | undefined>>`${auditEvent.detail}`,
    })
    .from(auditEvent)
    .where(inArray(auditEvent.action, Object.keys(outcomes)))
    .orderBy(desc(auditEvent.id))
    .limit(MOST_EVENTS)
  return rows.toReversed().map(({ at, action, detail }) => ({
    timestamp: at.toISOString(),
    action: outcomes[action][0],
    specialist: detail['specialist'] ?? null,
    token: null,
    blocked_file: detail['path'] ?? null,
    reason: detail['reason'] ?? null,
    outcome: outcomes[action][1],
  }))
}
