import type postgres from 'postgres'
import type { Actor } from '../keys/actor.ts'
import { knownTo } from './catalog-filter.ts'
import type { Ask } from './catalog-lane.ts'
import { distance, forgivenIn, printWordKeys } from './spelling.ts'
import { synonymsOf } from './synonyms.ts'

/** A word of a search, with its related words and frequency. */
export interface SearchWord {
  readonly text: string
  /** The word itself, and its stems unless it is a stop word. */
  readonly exact: readonly string[]
  /** Completions, synonyms and corrections. */
  readonly near: readonly string[]
  readonly isStopWord: boolean
  /** "read" and "file" of "readFile". */
  readonly parts: readonly string[]
  /** The estimated number of public entries with the word. */
  readonly frequency: number
  /** The estimated number of public entries. */
  readonly entries: number
}

interface WordRow {
  readonly word: string
  readonly stems: string[]
  readonly isKnown: boolean
  readonly completions: string[]
  readonly candidates: string[]
  readonly frequency: number
  readonly entries: number
}

const MOST_WORDS = 10
const LONGEST_WORD = 40
const SHORTEST_TO_COMPLETE = 2
const MOST_COMPLETIONS = 12
const MOST_CORRECTIONS = 4
/** The most words to examine for completions and corrections. */
const MOST_CANDIDATES = 1000
/** Above this frequency the planner's estimate is used. */
const COMMON = 20_000
const MOST_COUNTED = 1000

/**
 * Returns the first ten words of a search with their completions, corrections and synonyms. The result does not depend
 * on private entries that the actor may not read.
 */
export async function readWords(
  ask: Ask,
  sql: postgres.Sql,
  { text, actor }: { text: string; actor: Actor },
): Promise<SearchWord[]> {
  const typed = splitWords(text)
  const rows = await lookUp(ask, sql, { words: [...typed.keys()], actor })
  const corrected = rows.map((row) => ({ row, near: nearWords(row) }))
  const stems = await readStems(ask, sql, [...new Set(corrected.flatMap(({ near }) => near))])
  return corrected.map(({ row: { word, stems: own, frequency, entries }, near }) => ({
    text: word,
    exact: [...new Set([word, ...own])],
    near: [...new Set(near.flatMap((other) => [other, ...(stems.get(other) ?? [])]))],
    isStopWord: own.length === 0,
    parts: typed.get(word) ?? [],
    frequency,
    entries,
  }))
}

/** Maps each word in lower case to the parts of its camel case. */
function splitWords(text: string): Map<string, string[]> {
  const words = new Map<string, string[]>()
  for (const word of text.split(/[^\p{L}\p{N}\p{M}]+/u).filter(Boolean)) {
    const parts = word
      .split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
      .map((part) => part.toLowerCase())
    const lower = word.toLowerCase().slice(0, LONGEST_WORD)
    if (words.size < MOST_WORDS) words.set(lower, parts.length > 1 ? parts : [])
  }
  return words
}

function nearWords({ word, completions, candidates }: WordRow): string[] {
  const corrections = candidates
    .map((candidate) => ({ candidate, mistakes: distance(word, candidate) }))
    .filter(({ mistakes }) => mistakes <= forgivenIn(word))
    .toSorted((a, b) => a.mistakes - b.mistakes || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, MOST_CORRECTIONS)
    .map(({ candidate }) => candidate)
  return [...new Set([...completions, ...corrections, ...synonymsOf(word)])]
}

async function lookUp(
  ask: Ask,
  sql: postgres.Sql,
  { words, actor }: { words: string[]; actor: Actor },
): Promise<WordRow[]> {
  if (words.length === 0) return []
  const isKnown = knownTo(sql, actor)
  const keys = words.map((word) => (forgivenIn(word) > 0 ? printWordKeys(word) : ''))
  return ask(sql<WordRow[]>`
    select word, stems, known as "isKnown", frequency,
      greatest(
        (select reltuples from pg_class where oid = 'catalog_entry_public'::regclass),
        (select count(*) from (select from catalog_entry where visibility = 'public' limit ${MOST_COUNTED}) counted)
      )::float as entries,
      array(select found.word from (
          select near.word from catalog_word near
          where length(asked.word) >= ${SHORTEST_TO_COMPLETE} and cardinality(stems) > 0
            and near.word > asked.word and near.word < asked.word || chr(1114111) ${isKnown}
          group by near.word order by near.word limit ${MOST_CANDIDATES}) found
        order by length(found.word), found.word limit ${MOST_COMPLETIONS}) as completions,
      array(select near.word from catalog_word near
        where not known and near.keys && string_to_array(asked.keys, ' ') ${isKnown}
        limit ${MOST_CANDIDATES}) as candidates
    from (
      select word, keys, tsvector_to_array(to_tsvector('pg_catalog.english', word)) as stems,
        exists (select from catalog_word known where known.word = typed.word ${isKnown}) as known
      from unnest(${words}::text[], ${keys}::text[]) as typed (word, keys)
    ) asked
    cross join lateral (select array_to_string(
      array(select quote_literal(lexeme) from unnest(stems || word) lexeme), ' | ')::tsquery as forms) lexemes
    cross join lateral (select catalog_estimate(forms && !! $$'@private'$$::tsquery) as expected) estimate
    cross join lateral (select case when expected > ${COMMON} then expected else (
      select count(*) from (select from catalog_entry where words @@ forms and visibility = 'public'
        limit ${MOST_COUNTED}) counted) end::float as frequency) counted`)
}

async function readStems(
  ask: Ask,
  sql: postgres.Sql,
  words: string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (words.length === 0) return new Map()
  const rows = await ask(sql<{ word: string; stems: string[] }[]>`
    select word, tsvector_to_array(to_tsvector('pg_catalog.english', word)) as stems
    from unnest(${words}::text[]) as asked (word)`)
  return new Map(rows.map(({ word, stems }) => [word, stems]))
}
