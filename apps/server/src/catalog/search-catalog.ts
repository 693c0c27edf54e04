import type { Name } from '@pml/core'
import type { CatalogQuery } from '@pml/core/schemas'
import type postgres from 'postgres'
import type { Actor } from '../keys/actor.ts'
import { conditionOf, readsPublicOnly } from './catalog-filter.ts'
import type { Ask } from './catalog-lane.ts'
import { MOST_RANKED, type RankedPosition } from './catalog-query.ts'
import { readWords, type SearchWord } from './read-words.ts'

export interface Ranked {
  readonly name: Name
  readonly score: number
}

interface SearchResult {
  /** Ordered by score, then by name. */
  readonly rows: readonly Ranked[]
  readonly total: number
  readonly totalIsExact: boolean
}

interface SearchWindow {
  readonly after: RankedPosition | undefined
  readonly skip: number
  readonly limit: number
}

/** A query on the index, and how many of its matches are ranked. */
interface Tier {
  readonly query: string
  readonly most: number
  /** Whether its matches count towards the total. */
  readonly counts: boolean
}

const MOST_BY_NAME = 300
const MOST_BY_COMPONENT = 100
const MOST_BY_SOME = 150
const SHORTEST_SIGNIFICANT = 3
const NEAR_POINTS = 0.4

/**
 * Runs a ranked search. Every word must match, exactly or by completion, synonym or correction. If no entry has all
 * words as typed, entries with some of them are ranked too.
 */
export async function searchCatalog(
  ask: Ask,
  sql: postgres.Sql,
  { query, actor, window }: { query: CatalogQuery & { q: string }; actor: Actor; window: SearchWindow },
): Promise<SearchResult> {
  const words = await readWords(ask, sql, { text: query.q, actor })
  if (words.length === 0) return { rows: [], total: 0, totalIsExact: true }
  const filter = filterLexemes(query, actor)
  const run = (tiers: readonly Tier[]) => rank(ask, sql, { tiers, words, query, actor, window })
  const strictly = strictTiers(words, filter)
  const { hasExact, ...strict } = await run(strictly)
  const significant = words.filter(isSignificant)
  if (hasExact || significant.length === 0) return strict
  const { hasExact: _, ...relaxed } = await run([...strictly, ...relaxedTiers(significant, filter)])
  return relaxed
}

function isSignificant({ text, isStopWord }: SearchWord): boolean {
  return !isStopWord && text.length >= SHORTEST_SIGNIFICANT
}

/** The first tier tells whether the words occur as typed, the last finds every match, the others the best matches. */
function strictTiers(words: readonly SearchWord[], filter: string): Tier[] {
  const required = words.some(isSignificant) ? words.filter(({ isStopWord }) => !isStopWord) : words
  const component = quote(`=${required.map(({ text }) => text).join('')}`)
  const asTyped = allOf(required.map(({ exact }) => anyOf(exact.map(quote))))
  return [
    { query: asTyped + filter, most: 1, counts: false },
    { query: component + filter, most: MOST_BY_COMPONENT, counts: false },
    { query: allOf(required.map((word) => anyForm(word, '.'))) + filter, most: MOST_BY_NAME, counts: false },
    { query: `${allOf(required.map((word) => anyForm(word)))}${filter}`, most: MOST_RANKED, counts: true },
  ]
}

function relaxedTiers(words: readonly SearchWord[], filter: string): Tier[] {
  const forms = words.map((word) => anyForm(word))
  const rarestFirst = words.toSorted((a, b) => a.frequency - b.frequency)
  const allButOne = forms.map((_, left) => allOf(forms.filter((_form, at) => at !== left)))
  const pairs = forms.flatMap((one, at) => forms.slice(at + 1).map((other) => allOf([one, other])))
  return [
    ...(forms.length > 3 ? [{ query: anyOf(allButOne) + filter, most: MOST_BY_NAME, counts: false }] : []),
    ...(forms.length > 2 ? [{ query: anyOf(pairs) + filter, most: MOST_BY_NAME, counts: false }] : []),
    ...rarestFirst.map((word) => ({ query: anyForm(word) + filter, most: MOST_BY_SOME, counts: true })),
  ]
}

function anyForm({ exact, near, parts }: SearchWord, prefix = ''): string {
  const forms = [...new Set([...exact, ...near])].map((form) => quote(prefix + form))
  const split = parts.map((part) => quote(prefix + part))
  return anyOf([...forms, ...(split.length > 0 ? [allOf(split)] : [])])
}

const anyOf = (queries: readonly string[]) => `(${queries.join(' | ')})`
const allOf = (queries: readonly string[]) => `(${queries.join(' & ')})`

/** Escapes a lexeme. Words contain only letters and digits; this is a second line of defence. */
function quote(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/** Returns the filters that the word index supports. */
function filterLexemes({ type, routing }: CatalogQuery, actor: Actor): string {
  const lexemes = [
    ...(type === undefined ? [] : [quote(`@${type}`)]),
    ...(routing === undefined ? [] : [quote(`@${routing}`)]),
    ...(readsPublicOnly(actor) ? [`!${quote('@private')}`] : []),
  ]
  return lexemes.map((lexeme) => ` & ${lexeme}`).join('')
}

interface Ranking {
  readonly tiers: readonly Tier[]
  readonly words: readonly SearchWord[]
  readonly query: CatalogQuery
  readonly actor: Actor
  readonly window: SearchWindow
}

interface Outcome {
  readonly rows: readonly Ranked[]
  readonly candidates: number
  readonly expected: number
  readonly isComplete: boolean
  readonly hasExact: boolean
}

/** The weights of a word in the description, (unused), in a tool and in the name. */
const WEIGHTS = '{0.4,0.4,0.6,1}'

async function rank(
  ask: Ask,
  sql: postgres.Sql,
  { tiers, words, query, actor, window: { after, skip, limit } }: Ranking,
): Promise<SearchResult & { readonly hasExact: boolean }> {
  const exact = words.map(({ exact: forms }) => anyOf(forms.map(quote)))
  const near = words.map(({ near: forms, parts }) => [...forms, ...parts].map(quote).join(' | '))
  const points = words.map(pointsOf)
  const joined = quote(`=${words.map(({ text }) => text).join('')}`)
  const past = after
    ? sql`where score < ${after.score} or (score = ${after.score} and name > ${after.after})`
    : sql``
  const [outcome] = await ask(sql<Outcome[]>`
    with tier as materialized (
      select place, most, counts, expected, catalog_narrow(query, expected) as query
      from unnest(${tiers.map((tier) => tier.query)}::text[]::tsquery[], ${tiers.map((tier) => tier.most)}::int[],
        ${tiers.map((tier) => Number(tier.counts))}::int[]) with ordinality as asked (query, most, counts, place)
      cross join lateral (select catalog_estimate(query) as expected) estimate
    ), found as materialized (
      select place, match.name from tier cross join lateral (
        select name from catalog_entry
        where words @@ tier.query ${conditionOf(sql, query, actor)}
        limit tier.most) match
    ), scored as materialized (
      select entry.name, round(1000 * ((
          select sum(points * (
            ts_rank(${WEIGHTS}::float4[], entry.words, exact)
            + ${NEAR_POINTS}::float * least(1, numnode(near) * ts_rank(${WEIGHTS}::float4[], entry.words, near))))
          from unnest(${exact}::text[]::tsquery[], ${near}::text[]::tsquery[], ${points}::float[]) as word (exact, near, points)
        ) + (entry.words @@ ${joined}::tsquery)::int))::int as score
      from (select distinct name from found) candidate join catalog_entry entry using (name)
    )
    select (select count(*)::int from scored) as candidates,
      exists (select from found where place = 1) as "hasExact",
      (select max(expected) from tier where counts = 1) as expected,
      (select bool_and(expected <= 20000
        and (select count(*) from found where found.place = tier.place) < most) from tier where counts = 1) as "isComplete",
      array(select json_build_object('name', name, 'score', score) from scored ${past}
        order by score desc, name limit ${limit} offset ${skip}) as rows`)
  if (!outcome) throw new Error('a search returned no row')
  const { rows, candidates, expected, isComplete, hasExact } = outcome
  return {
    rows,
    total: isComplete ? candidates : Math.max(candidates, Math.round(expected)),
    totalIsExact: isComplete,
    hasExact,
  }
}

/** Weights rare words higher. Rounds, so that a few new entries do not reorder results between pages. */
function pointsOf({ frequency, entries }: SearchWord): number {
  return 1 + Math.round(Math.log2(Math.max(1, entries / Math.max(1, frequency))))
}
