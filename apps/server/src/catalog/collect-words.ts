import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { withDeadline } from '../db/deadline.ts'
import { printWordKeys } from './spelling.ts'

interface WordCollector {
  /** Collects soon; call it when entries may have changed. */
  poke(): void
  stop(): Promise<void>
}

const NAMES_AT_ONCE = 200
/** Batches changes that are close together. */
const PAUSE_MS = 100
const RETRY_MS = 2000
const DEADLINE_MS = 10_000

/**
 * Indexes the words of changed entries in the background, for the completion and correction of searches. Calls
 * `onWords` when there are new words.
 */
export function startCollectingWords(
  { sql }: Pick<Database, 'sql'>,
  { onWords, log }: { onWords: () => void; log: Logger },
): WordCollector {
  let timer: NodeJS.Timeout | undefined
  let collecting = Promise.resolve()
  let stopped = false

  /** Locks the rows until the words are stored, so that no entry is lost and replicas share the work. */
  async function collectSome(): Promise<number> {
    return sql.begin(async (tx) => {
      const rows = await tx<{ org: string; words: string[] }[]>`
        with taken as (
          delete from catalog_unspelled where name in (
            select name from catalog_unspelled order by name limit ${NAMES_AT_ONCE} for update skip locked)
          returning name)
        select case when visibility = 'private' then org else '' end as org, array(
          select word from unnest(tsvector_to_array(to_tsvector('pg_catalog.simple', catalog_split(left(search, 16000))))) word
          where word !~ '^[0-9]+$' and length(word) between 2 and 40) as words
        from taken left join pml_registry using (name)`
      const found = rows.flatMap(({ org, words }) => words.map((word) => ({ word, org })))
      const added = await tx`
        insert into catalog_word (word, org, keys)
        select distinct word, org, string_to_array(keys, ' ')
        from unnest(${found.map(({ word }) => word)}::text[], ${found.map(({ org }) => org)}::text[],
          ${found.map(({ word }) => printWordKeys(word))}::text[]) as found (word, org, keys)
        where not exists (select from catalog_word known where (known.word, known.org) = (found.word, found.org))
        order by word, org on conflict do nothing`
      if (added.count > 0) onWords()
      return rows.length
    })
  }

  async function collect(): Promise<void> {
    try {
      const taken = await withDeadline(collectSome(), DEADLINE_MS)
      if (taken === NAMES_AT_ONCE) schedule(PAUSE_MS)
    } catch (error) {
      if (stopped) return
      log.warn({ err: error }, 'cannot index the words of new entries for searches; will retry')
      schedule(RETRY_MS)
    }
  }

  function schedule(pauseMs: number): void {
    if (stopped || timer) return
    timer = setTimeout(() => {
      timer = undefined
      collecting = collecting.then(collect)
    }, pauseMs)
  }

  schedule(PAUSE_MS)
  return {
    poke: () => schedule(PAUSE_MS),
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await collecting
    },
  }
}
