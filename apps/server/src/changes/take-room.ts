import { PmlError } from '@pml/core'
import type { ChangeLimits } from '@pml/core/approval-config'
import { sql } from 'drizzle-orm'
import { lockStorage } from '../audit/drop-contents.ts'
import type { Transaction } from '../db/connect.ts'

const MEGABYTE = 1_000_000

interface Usage extends Record<string, unknown> {
  readonly ownOpen: number
  readonly allOpen: number
  readonly ownBytes: number
  readonly allBytes: number
}

/** Counts newly stored content for a key; throws if that exceeds the configured limits. */
export async function takeRoom(
  tx: Transaction,
  { keyId, bytes, limits }: { keyId: string; bytes: number; limits: ChangeLimits },
): Promise<void> {
  await lockStorage(tx)
  const [used] = await tx.execute<Usage>(sql`
    with own as (
      insert into change_storage (key_id, bytes) values (${keyId}, ${bytes})
      on conflict (key_id) do update set bytes = change_storage.bytes + excluded.bytes returning bytes
    ), open as (
      select (select count(*)::int from (select from change where status = 'blocked' and asked_by = ${keyId}
                limit ${limits.openPerKey + 1}) counted) as own,
             (select count(*)::int from (select from change where status = 'blocked'
                limit ${limits.open + 1}) counted) as all
    )
    select open.own as "ownOpen", open.all as "allOpen", own.bytes::float8 as "ownBytes",
      (own.bytes + coalesce((select sum(bytes) from change_storage where key_id <> ${keyId}), 0))::float8 as "allBytes"
    from own, open`)
  if (!used) throw new Error('unreachable: an upsert returns its row')
  const refusal = findExcess(used, { keyId, limits })
  if (refusal) throw refusal
}

function findExcess(
  { ownOpen, allOpen, ownBytes, allBytes }: Usage,
  { keyId, limits }: { keyId: string; limits: ChangeLimits },
): PmlError | undefined {
  const own = `key ${keyId}`
  if (ownOpen > limits.openPerKey) return waiting(own, limits.openPerKey, 'openPerKey')
  if (allOpen > limits.open) return waiting('the registry', limits.open, 'open')
  if (ownBytes > limits.megabytesPerKey * MEGABYTE)
    return full(own, limits.megabytesPerKey, 'megabytesPerKey')
  return allBytes > limits.megabytes * MEGABYTE
    ? full('the registry', limits.megabytes, 'megabytes')
    : undefined
}

function waiting(who: string, limit: number, setting: string): PmlError {
  return new PmlError(
    'too_many_changes',
    `Cannot keep the change: ${who} already has ${limit} that wait for a decision; decide some of them, or raise limits.${setting} in config/approvals.json`,
    { limit, retryAfter: 60 },
  )
}

function full(who: string, megabytes: number, setting: string): PmlError {
  return new PmlError(
    'storage_full',
    `Cannot keep the change: ${who} has stored ${megabytes} MB of changes; contents are dropped after auditRetentionDays, or raise limits.${setting} in config/approvals.json`,
    { limit: megabytes },
  )
}
