import type { Database } from '../db/connect.ts'
import type { SpendRefusal } from './refusals.ts'
import type { Attempt } from './record-refusal.ts'

type Reason = Exclude<SpendRefusal, 'blocked_pattern'> | 'own_approval'

interface Row {
  readonly status: 'blocked' | 'approved' | 'rejected' | 'used'
  readonly expired: boolean
  readonly same: boolean
  readonly token: boolean
  readonly usable: boolean
  /** Whether the latest decision was a rejection. */
  readonly rejected: boolean
  /** Whether the key that wants to use the approval also gave it. */
  readonly own: boolean
}

export interface Refused {
  readonly reason: Reason
  /** Whether the latest decision about this content and path was a rejection. */
  readonly isRejected: boolean
  /** Whether it has tokens and the registry issued none of them. */
  readonly isInvented: boolean
}

/** Finds why an attempt was refused, from the current state, which may be newer than the attempt. */
export async function findRefusalReason(
  { sql }: Pick<Database, 'sql'>,
  { keyId, contentHash, claims, path, project, tokenHashes, hasToken }: Attempt,
): Promise<Refused> {
  const hashes = [...new Set(claims.map((claim) => claim.contentHash))]
  const rows = await sql<Row[]>`
    select c.status, coalesce(c.expires_at <= clock_timestamp(), false) as expired,
      c.content_hash = any(${hashes}) and c.path = ${path} and c.project = ${project} as same,
      coalesce(c.token_hash = any(${tokenHashes as string[]}), false) as token,
      exists (select from api_key k where k.id = c.decided_by and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > clock_timestamp())) as usable,
      c.status = 'approved' and c.decided_by = ${keyId} as own,
      c.id = (select d.id from change d where d.content_hash = ${contentHash} and d.path = ${path}
        and d.project = ${project}
        and d.decided_at is not null order by d.decided_at desc limit 1) and c.status = 'rejected' as rejected
    from change c
    where c.content_hash = any(${hashes}) or c.token_hash = any(${tokenHashes as string[]})
    order by (c.content_hash = ${contentHash} and c.path = ${path} and c.project = ${project}) desc, c.blocked_at desc limit 200`
  const isInvented = tokenHashes.length > 0 && !rows.some(({ token }) => token)
  const isRejected = rows.some(({ rejected }) => rejected)
  return { reason: decideReason(rows, { tokens: tokenHashes.length, hasToken }), isRejected, isInvented }
}

function decideReason(
  rows: readonly Row[],
  { tokens, hasToken }: { tokens: number; hasToken: boolean },
): Reason {
  const byToken = rows.filter(({ token }) => token)
  const newest = rows.find(({ same }) => same)
  if (hasToken) return byToken[0] ? reasonOf(byToken[0]) : 'not_approved'
  if (newest && isOwn(newest)) return 'own_approval'
  if (newest?.status === 'approved' && !newest.expired && newest.usable && tokens > 0)
    return byToken.length > 0 ? 'content_mismatch' : 'not_approved'
  if (newest) return reasonOf(newest)
  const isElsewhere = rows.some(({ status, expired }) => status === 'approved' && !expired)
  return isElsewhere ? 'content_mismatch' : 'not_approved'
}

function isOwn({ own, expired }: Row): boolean {
  return own && !expired
}

function reasonOf(row: Row): Reason {
  const { status, expired, same } = row
  if (!same) return 'content_mismatch'
  if (isOwn(row)) return 'own_approval'
  if (status === 'used') return 'already_used'
  if (status === 'rejected') return 'rejected'
  return status === 'approved' && expired ? 'expired' : 'not_approved'
}
