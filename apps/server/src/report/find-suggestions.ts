import type { ApprovalConfig } from '@pml/core/approval-config'
import type { Suggestion } from '@pml/core/schemas'
import type { Snapshot } from '../changes/snapshot.ts'

/** The dependencies of suggesting patterns. */
export interface Promotion {
  /** The current contents of config/approvals.json. */
  readonly config: () => ApprovalConfig
  /** Returns a pattern for all content of the same shape; undefined if it would be too long. */
  readonly patternFor: (content: string) => string | undefined
}

interface Group {
  readonly type: string
  readonly shape: string
  readonly approvals: number
  readonly newest: string
}

const MOST_SUGGESTIONS = 20
/** The most groups that are read. Only their content shows which ones already have a pattern. */
const MOST_GROUPS = 200
const MOST_EXAMPLES = 5
/** Larger content makes no useful pattern. */
const LARGEST_CONTENT_BYTES = 64 * 1024

/** Finds patterns that agree with every past decision. Only a specialist can add them. */
export async function findSuggestions(
  { sql }: Pick<Snapshot, 'sql'>,
  { config, patternFor }: Promotion,
): Promise<Suggestion[]> {
  const suggestions: Suggestion[] = []
  const groups = await readGroups(sql, await readThresholds(sql, config()))
  const live = await readLivePatterns(sql, patternFor)
  for (const group of groups) {
    if (suggestions.length === MOST_SUGGESTIONS) break
    const pattern = patternFor(await readContent(sql, group.newest))
    const known = `${group.type} ${pattern}`
    if (pattern === undefined || live.has(known) || live.has(`any ${pattern}`)) continue
    live.add(known)
    suggestions.push(await suggestionOf(sql, group, pattern))
  }
  return suggestions
}

type Sql = Snapshot['sql']
type Thresholds = readonly { readonly type: string; readonly promoteAfter: number }[]

/** Returns the approval thresholds of the types that have changes. */
async function readThresholds(sql: Sql, config: ApprovalConfig): Promise<Thresholds> {
  const rows = await sql<{ type: string }[]>`select distinct type from change where shape is not null`
  return rows.flatMap(({ type }) => {
    const known = config.findType(type)
    return known ? [{ type, promoteAfter: known.promoteAfter }] : []
  })
}

/** Groups contents of one shape that were approved often enough and never rejected, most approved first. */
function readGroups(sql: Sql, thresholds: Thresholds): Promise<Group[]> {
  const types = thresholds.map(({ type }) => type)
  const least = thresholds.map(({ promoteAfter }) => promoteAfter)
  return sql<Group[]>`
    with candidate as (
      select type, shape, least
      from change join unnest(${types}::text[], ${least}::int[]) as threshold (type, least) using (type)
      where shape is not null
      group by type, shape, least
      having count(*) filter (where status in ('approved', 'used')) >= least
         and count(*) filter (where status = 'rejected') = 0
    )
    select type, shape, count(distinct content_hash)::int as approvals,
           (array_agg(id order by decided_at desc nulls last, id desc))[1] as newest
    from candidate join change using (type, shape)
    where status in ('approved', 'used') and size_bytes <= ${LARGEST_CONTENT_BYTES} and content_dropped_at is null
    group by type, shape, least
    having count(distinct content_hash) >= least
    order by count(distinct content_hash) desc, type, shape limit ${MOST_GROUPS}`
}

/** Returns the active patterns, and the patterns that their examples would suggest. */
async function readLivePatterns(sql: Sql, patternFor: Promotion['patternFor']): Promise<Set<string>> {
  const rows = await sql<{ type: string; pattern: string; example: string }[]>`
    select type, pattern, example from pattern where removed_at is null and kind = 'approve'`
  return new Set(
    rows.flatMap(({ type, pattern, example }) => [`${type} ${pattern}`, `${type} ${patternFor(example)}`]),
  )
}

async function readContent(sql: Sql, id: string): Promise<string> {
  const [row] = await sql<{ bytes: Buffer }[]>`select bytes from change_content where change_id = ${id}`
  if (!row) throw new Error(`change ${id} has lost its content`)
  return row.bytes.toString()
}

async function suggestionOf(sql: Sql, group: Group, pattern: string): Promise<Suggestion> {
  const { type, shape, approvals } = group
  const examples = await sql<Suggestion['examples']>`
    select id as "changeId", path, content_hash as "contentHash", reason, specialist from change
    where type = ${type} and shape = ${shape} and status in ('approved', 'used')
    order by decided_at desc nulls last, id desc limit ${MOST_EXAMPLES}`
  const sentence = `${approvals} contents of type ${type} that differ only in their literals were approved and none was rejected: a specialist may add this pattern to approve the next ones`
  return { type, approvals, pattern, examples: [...examples], sentence }
}
