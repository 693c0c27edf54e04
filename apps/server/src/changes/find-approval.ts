import type { ShownStatus } from '@pml/core/schemas'
import type { Database } from '../db/connect.ts'
import { createBatch } from '../db/batch.ts'

interface ApprovalQuestion {
  readonly contentHash: string
  /** Undefined matches any path. */
  readonly path: string | undefined
  readonly project: string
  /** The hash of the token that the approval must have; undefined matches any approval. */
  readonly tokenHash?: string | undefined
}

/** The relevant change for a content: one that is approved now, else the newest. */
export interface FoundApproval {
  readonly change:
    | {
        readonly id: string
        readonly status: ShownStatus
        readonly path: string
        readonly type: string
        readonly specialist: string | null
        readonly expires: Date | null
        /** Whether the latest decision rejected the content. */
        readonly isRejected: boolean
        /** Whether it is approved, not expired, and the approver's key is still valid. */
        readonly isLive: boolean
      }
    | undefined
  /** The revision of the patterns at the same moment. */
  readonly revision: number
}

/** Looks up an approval; the result is never older than the call. */
export type FindApproval = (question: ApprovalQuestion) => Promise<FoundApproval>

interface Row {
  readonly id: string | null
  readonly status: ShownStatus
  readonly path: string
  readonly type: string
  readonly specialist: string | null
  readonly expires: Date | null
  readonly live: boolean
  readonly rejected: boolean
  readonly revision: string
}

export function createFindApproval({ lookups }: Pick<Database, 'lookups'>): FindApproval {
  return createBatch<ApprovalQuestion, FoundApproval>(
    async (questions) => {
      const rows = await lookups<Row[]>`
        select c.id, c.path, c.type, c.specialist, c.expires_at as expires, c.live, p.revision,
          coalesce((select d.status = 'rejected' from change d where d.content_hash = asked.hash and d.path = c.path and d.project = c.project
            and d.decided_at is not null order by d.decided_at desc limit 1), false) as rejected,
          case when c.status = 'approved' and c.expires_at <= clock_timestamp() then 'expired'
               else c.status end as status
        from unnest(${questions.map(({ contentHash }) => contentHash)}::text[],
                    ${questions.map(({ path }) => path ?? null)}::text[],
                    ${questions.map(({ project }) => project)}::text[],
                    ${questions.map(({ tokenHash }) => tokenHash ?? null)}::text[])
          with ordinality as asked (hash, path, project, token, at)
        cross join pattern_revision p
        left join lateral (
          select f.*, coalesce(f.status = 'approved' and f.expires_at > clock_timestamp() and exists (
            select from api_key k where k.id = f.decided_by and k.revoked_at is null
              and (k.expires_at is null or k.expires_at > clock_timestamp())), false) as live
          from change f
          where f.content_hash = asked.hash and (asked.path is null or f.path = asked.path)
            and f.project = asked.project
            and (asked.token is null or f.token_hash = asked.token)
          order by live desc, f.blocked_at desc limit 1
        ) c on true
        order by asked.at`
      return rows.map(found)
    },
    { most: 100, lanes: 1 },
  )
}

function found({ id, revision, live, rejected, ...change }: Row): FoundApproval {
  return {
    change: id === null ? undefined : { id, ...change, isLive: live, isRejected: rejected },
    revision: Number(revision),
  }
}
