import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { PmlError, type Integrity } from '@pml/core'
import type { Imported, NewPattern, RegistryFile } from '@pml/core/schemas'
import { sql } from 'drizzle-orm'
import type { Transaction } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { change, pattern } from '../db/schema.ts'
import { requireAdmin, type Actor } from '../keys/actor.ts'
import { hashToken } from './approve-change.ts'
import type { Approvals } from './approvals.ts'
import { lockPatterns } from '../patterns/add-pattern.ts'
import { compilePattern } from '../patterns/compile-pattern.ts'
import { requireNarrow } from '../patterns/require-narrow.ts'

/** An arbitrary unique id. Imports run one at a time, because two files may share entries in different orders. */
const ADVISORY_LOCK = 7_011_220_540
/** Must be shorter than the timeout of a write. */
const WAIT_MS = 50_000
const PAUSE_MS = 100

type Approval = RegistryFile['one_time_approvals'][string]

/** Imports the hooks' registry file: the entries that are still valid, and its whole log. */
export async function importRegistry(
  { db, config }: Pick<Approvals, 'db' | 'config'>,
  actor: Actor,
  file: RegistryFile,
): Promise<Imported> {
  requireAdmin(actor)
  // Waiting inside a statement would hit the statement timeout and hold a connection.
  const deadline = performance.now() + WAIT_MS
  while (performance.now() < deadline) {
    const imported = await tryImport({ db, config }, actor, file)
    if (imported) return imported
    await setTimeout(PAUSE_MS)
  }
  throw new PmlError('unavailable', 'Cannot import now: another import is running; try again later', {
    retryAfter: WAIT_MS / 1000,
  })
}

/** Returns undefined if another import is running. */
async function tryImport(
  { db, config }: Pick<Approvals, 'db' | 'config'>,
  actor: Actor,
  file: RegistryFile,
): Promise<Imported | undefined> {
  return db.orm.transaction(async (tx) => {
    const [lock] = await tx.execute<{ held: boolean }>(
      sql`select pg_try_advisory_xact_lock(${ADVISORY_LOCK}) as held`,
    )
    if (lock?.held !== true) return undefined
    let approvals = 0
    const entries = Object.entries(file.one_time_approvals)
    for (const [key, approval] of entries)
      if (
        await importApproval(tx, actor, { key, approval, type: config().typeOf(approval.blocked_file).name })
      )
        approvals += 1
    const patterns = await importPatterns(tx, actor, file)
    // Tokens are left out, because they may still be valid.
    for (const { token: _, ...detail } of file.audit_log)
      await recordEvent(tx, actor, {
        action: 'approval.imported_event',
        subject: 'registry',
        detail,
      })
    const counts = {
      approvals: { imported: approvals, skipped: entries.length - approvals },
      patterns,
      auditEvents: file.audit_log.length,
    }
    await recordEvent(tx, actor, { action: 'approval.import', subject: 'registry', detail: counts })
    return counts
  })
}

/** Imports an approval with its old expiry. The importing key becomes its approver; revoking that key ends it. */
async function importApproval(
  tx: Transaction,
  actor: Actor,
  { key, approval, type }: { key: string; approval: Approval; type: string },
): Promise<boolean> {
  if (approval.used) return false
  const values = {
    id: `chg_${randomBytes(8).toString('hex')}`,
    contentHash: `sha256-${approval.content_hash.slice(-64).toLowerCase()}` as Integrity,
    path: approval.blocked_file,
    project: approval.project ?? '',
    tool: 'import',
    type,
    sizeBytes: 0,
    invisible: 0,
    status: 'approved' as const,
    tokenHash: approval.token_sha256 ?? hashToken(key),
    expiresAt: new Date(approval.expires),
    decidedAt: sql`clock_timestamp()`,
    decidedBy: actor.id,
    specialist: approval.approved_by,
    reason: approval.reason,
  }
  const [{ isGood } = { isGood: false }] = await tx.execute<{ isGood: boolean }>(
    sql`select ${approval.expires}::timestamptz between clock_timestamp()
      and clock_timestamp() + interval '1 day' as "isGood"`,
  )
  if (!isGood) return false
  const added = await tx.insert(change).values(values).onConflictDoNothing().returning({ id: change.id })
  const [row] = added
  if (!row) return false
  await recordEvent(tx, actor, {
    action: 'change.approve',
    subject: row.id,
    detail: {
      path: values.path,
      contentHash: values.contentHash,
      type,
      specialist: values.specialist,
      reason: values.reason,
      expires: approval.expires,
      isImported: true,
    },
  })
  return true
}

async function importPatterns(
  tx: Transaction,
  actor: Actor,
  { permanent_patterns: permanent, blocked_patterns: blocked }: RegistryFile,
): Promise<Imported['patterns']> {
  const requests = [
    ...Object.entries(permanent)
      .filter(([, one]) => one.auto_approve)
      .map(([id, one]) => ({
        id,
        kind: 'approve' as const,
        uses: one.usage_count,
        ...one,
      })),
    ...Object.entries(blocked).map(([id, one]) => ({ id, kind: 'block' as const, uses: 0, ...one })),
  ]
  await lockPatterns(tx)
  const refused: { id: string; problem: string }[] = []
  let imported = 0
  for (const request of requests) {
    const problem = findProblem(request) ?? (await insert(tx, actor, request))
    if (problem === undefined) imported += 1
    else refused.push({ id: request.id, problem })
  }
  return { imported, refused }
}

interface ImportedPattern extends Pick<NewPattern, 'kind' | 'type' | 'pattern' | 'reason' | 'example'> {
  readonly uses: number
  readonly added_by: string
}

/** Checks a pattern like a new one, except that older files have no examples. */
function findProblem({ kind, pattern: text }: ImportedPattern): string | undefined {
  try {
    requireNarrow(compilePattern(text), kind)
    return undefined
  } catch (error) {
    if (error instanceof PmlError) return error.message
    throw error
  }
}

async function insert(tx: Transaction, actor: Actor, request: ImportedPattern): Promise<string | undefined> {
  const { kind, type, pattern: text, reason, example, uses, added_by: specialist } = request
  const id = `pat_${randomBytes(8).toString('hex')}`
  const rows = await tx
    .insert(pattern)
    .values({
      id,
      kind,
      type,
      pattern: text,
      reason,
      example,
      specialist,
      addedBy: actor.id,
      usageCount: uses,
    })
    .onConflictDoNothing()
    .returning({ id: pattern.id })
  if (rows.length === 0) return 'it already exists'
  const detail = { kind, type, pattern: text, reason, specialist, isImported: true }
  await recordEvent(tx, actor, { action: 'pattern.add', subject: id, detail })
  return undefined
}
