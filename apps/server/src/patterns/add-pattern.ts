import { randomBytes } from 'node:crypto'
import { PmlError } from '@pml/core'
import type { ApprovalConfig } from '@pml/core/approval-config'
import type { NewPattern, PatternAdded } from '@pml/core/schemas'
import { sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/connect.ts'
import { recordEvent, recordEvents } from '../db/record-event.ts'
import { pattern } from '../db/schema.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { findMismatch, findWrongSpecialist } from './entitlement.ts'
import { compilePattern } from './compile-pattern.ts'
import { coverageOf, isFound } from './coverage-of.ts'
import { requireNarrow } from './require-narrow.ts'
import { requireNoAsker } from './require-no-asker.ts'
import { showPattern } from './list-patterns.ts'

/** The dependencies of the operations on patterns. */
export interface PatternParts {
  readonly db: Database
  /** The current contents of config/approvals.json. */
  readonly config: () => ApprovalConfig
}

type PatternToAdd = Omit<NewPattern, 'approver'>

const ID_BYTES = 8

/** Adds a rule for future content: an approve pattern allows it, a block pattern refuses it even if it is approved. */
export async function addPattern(
  { db, config }: PatternParts,
  actor: Actor,
  { approver, ...request }: NewPattern,
): Promise<PatternAdded> {
  requireScope(actor, 'pattern')
  const known = config().findType(request.type)
  const refusal = findMismatch(approver, actor.specialist) ?? findUnentitled(config(), actor, request)
  if (refusal) throw await recordRefusal(db, actor, refusal)
  compileRequested(request)
  try {
    const id = await db.orm.transaction(async (tx) => {
      if (request.kind === 'approve') await requireNoAsker(tx, actor, config().operators)
      return insertPattern(tx, actor, request)
    })
    return { ...(await showPattern(db, id)), warnings: warningsFor(request, known) }
  } catch (error) {
    if (error instanceof PmlError && error.code === 'self_approval') await recordRefusal(db, actor, error)
    throw error
  }
}

/** Only specialists of a type may add its patterns; `any` needs a specialist of every type. */
function findUnentitled(
  config: ApprovalConfig,
  { specialist }: Actor,
  { kind, type }: Pick<PatternToAdd, 'kind' | 'type'>,
): PmlError | undefined {
  if (specialist === undefined || kind === 'block') return undefined
  const types = type === 'any' ? config.types : [config.findType(type) ?? config.typeOf('')]
  for (const one of types) {
    const wrong = findWrongSpecialist(specialist, one)
    if (wrong) return wrong
  }
  return undefined
}

/** Records the refused attempt and returns its error. */
async function recordRefusal(db: Database, actor: Actor, refusal: PmlError): Promise<PmlError> {
  const detail = { ...refusal.detail, specialist: actor.specialist ?? null }
  const event = { actor: actor.id, action: `change.${refusal.code}`, subject: 'pattern', detail }
  await recordEvents(db.sql, [event])
  return refusal
}

/** Checks that the pattern compiles, is narrow and matches its example. */
export function compileRequested(request: PatternToAdd): void {
  const compiled = compilePattern(request.pattern)
  requireNarrow(compiled, request.kind)
  const matches =
    request.kind === 'block'
      ? isFound(compiled, request.example)
      : coverageOf(compiled, request.example) !== undefined
  if (!matches)
    throw new PmlError(
      'invalid_pattern',
      request.kind === 'block'
        ? 'Cannot add the pattern: it does not match its example'
        : 'Cannot add the pattern: its example has a line that it does not match; an approve pattern must match in every line that is not blank',
    )
}

export async function insertPattern(tx: Transaction, actor: Actor, request: PatternToAdd): Promise<string> {
  await lockPatterns(tx)
  const { kind, type, pattern: text, reason, example } = request
  const specialist = actor.specialist ?? null
  const [row] = await tx
    .insert(pattern)
    .values({
      id: `pat_${randomBytes(ID_BYTES).toString('hex')}`,
      kind,
      type,
      pattern: text,
      reason,
      example,
      specialist,
      addedBy: actor.id,
    })
    .onConflictDoNothing()
    .returning({ id: pattern.id })
  if (!row) throw new PmlError('duplicate_pattern', `Cannot add the pattern: type ${type} already has it`)
  await recordEvent(tx, actor, {
    action: 'pattern.add',
    subject: row.id,
    detail: { kind, type, pattern: text, reason, specialist },
  })
  return row.id
}

/**
 * Locks the revision row. Every change of a pattern updates it at the end, so taking the lock first prevents deadlocks.
 */
export async function lockPatterns(tx: Transaction): Promise<void> {
  await tx.execute(sql`select from pattern_revision for update`)
}

function warningsFor({ kind, type, pattern: text }: PatternToAdd, known: unknown): string[] {
  const warnings: string[] = []
  if (known === undefined && type !== 'any')
    warnings.push(
      `config/approvals.json has no type '${type}': it counts for changes without a type of their own`,
    )
  if (kind === 'approve' && !(text.startsWith('^') && text.endsWith('$')))
    warnings.push('It is not anchored: anything may stand before or after a match in its line; write ^…$')
  return warnings
}
