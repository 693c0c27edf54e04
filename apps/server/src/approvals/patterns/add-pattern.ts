import { randomBytes } from 'node:crypto'
import { PmlError } from '@pml/core'
import { canonicalContent, specialistSlug } from '@pml/core/approvals'
import type { NewPattern, PatternAdded } from '@pml/core/schemas'
import { sql } from 'drizzle-orm'
import type { Transaction } from '../../db/connect.ts'
import { recordEvent } from '../../db/record-event.ts'
import { pattern } from '../../db/schema.ts'
import { requireScope, type Actor } from '../../keys/actor.ts'
import type { Approvals } from '../approvals.ts'
import { compilePattern, type CompiledPattern } from './compile-pattern.ts'
import { coverageOf, isFound } from './coverage-of.ts'
import { requireNarrow } from './require-narrow.ts'
import { showPattern } from './list-patterns.ts'

type Wish = Omit<NewPattern, 'approver'>

export interface CompiledWish extends Wish {
  readonly compiled: CompiledPattern
}

const ID_BYTES = 8
/** Enough to find whoever would approve their own. */
const MOST_OPEN = 500

/** A rule for contents to come: an approve pattern lets them through, a block pattern holds back even what is approved. */
export async function addPattern(
  { db, config }: Pick<Approvals, 'db' | 'config'>,
  actor: Actor,
  { approver, ...wish }: NewPattern,
): Promise<PatternAdded> {
  requireScope(actor, 'pattern')
  requireOwnName(actor, approver)
  requireEntitled(actor, config().findType(wish.type))
  const compiled = compileWish(wish)
  const id = await db.orm.transaction(async (tx) => {
    if (wish.kind === 'approve') await requireOthers(tx, actor, compiled)
    return insertPattern(tx, actor, wish)
  })
  return { ...(await showPattern(db, id)), warnings: warningsFor(compiled, config().findType(wish.type)) }
}

/** It compiles, is narrow, and matches its example. */
export function compileWish(wish: Wish): CompiledWish {
  const compiled = compilePattern(wish.pattern)
  requireNarrow(compiled, wish.kind)
  const example = canonicalContent(wish.example)
  const matches =
    wish.kind === 'block' ? isFound(compiled, example) : coverageOf(compiled, example) !== undefined
  if (!matches)
    throw new PmlError(
      'invalid_pattern',
      wish.kind === 'block'
        ? 'Cannot add the pattern: it does not match its example'
        : 'Cannot add the pattern: its example has a line that it does not match; an approve pattern must match in every line that is not blank',
    )
  return { ...wish, compiled }
}

/** What the key itself waits for is not for it to approve, one by one or by a pattern. */
export async function requireOthers(
  tx: Transaction,
  actor: Actor,
  { compiled }: CompiledWish,
): Promise<void> {
  const rows = await tx.execute<{ id: string; bytes: Buffer }>(sql`
    select c.id, content.bytes from change c
    join change_request asked on asked.change_id = c.id and asked.key_id = ${actor.id}
    join change_content content on content.change_id = c.id
    where c.status in ('blocked', 'rejected') order by c.blocked_at desc limit ${MOST_OPEN}`)
  const own = rows.find(
    ({ bytes }) => coverageOf(compiled, canonicalContent(bytes.toString('utf8'))) !== undefined,
  )
  if (own)
    throw new PmlError(
      'self_approval',
      `Cannot add the pattern: it would approve change ${own.id}, which this key asked for; it takes the key of somebody else`,
    )
}

export async function insertPattern(tx: Transaction, actor: Actor, wish: Wish): Promise<string> {
  const { kind, type, pattern: text, reason, example } = wish
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
  if (!row) throw new PmlError('duplicate_pattern', `Cannot add the pattern: type ${type} has it already`)
  await recordEvent(tx, actor, {
    action: 'pattern.add',
    subject: row.id,
    detail: { kind, type, pattern: text, reason, specialist },
  })
  return row.id
}

function requireOwnName({ specialist }: Actor, approver: string | undefined): void {
  if (approver === undefined) return
  if (specialist !== undefined && specialistSlug(approver) === specialistSlug(specialist)) return
  throw new PmlError(
    'approver_mismatch',
    `Cannot add a pattern as '${approver}': the key is that of '${specialist ?? 'no specialist'}'; leave the name out, or use the key of that specialist`,
  )
}

function requireEntitled(
  { specialist }: Actor,
  type: { name: string; specialists: readonly string[] } | undefined,
): void {
  if (specialist === undefined || type === undefined) return
  const { name, specialists } = type
  if (specialists.some((one) => one === '*' || specialistSlug(one) === specialistSlug(specialist))) return
  throw new PmlError(
    'wrong_specialist',
    `Cannot add a pattern for changes of type ${name}: that is for ${specialists.join(', ')}`,
    { type: name, specialists },
  )
}

function warningsFor({ kind, type, pattern: text }: CompiledWish, known: unknown): string[] {
  const warnings: string[] = []
  if (known === undefined && type !== 'any')
    warnings.push(
      `config/approvals.json has no type '${type}': it counts for changes without a type of their own`,
    )
  if (kind === 'approve' && !(text.startsWith('^') && text.endsWith('$')))
    warnings.push('It is not anchored: anything may stand before or after a match in its line; write ^…$')
  return warnings
}
