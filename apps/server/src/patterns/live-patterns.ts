import { PmlError } from '@pml/core'
import { isNull, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database } from '../db/connect.ts'
import { pattern } from '../db/schema.ts'
import { createSideProcess, type SideProcess } from '../side-process.ts'
import { createPatternSet, type PatternVerdict } from './pattern-set.ts'
import type { PatternRequest } from './pattern-process.ts'

/** The patterns of one revision, compiled. */
export interface HeldPatterns {
  readonly revision: number
  find(content: string, type: string): Promise<PatternVerdict>
  /** Finds by content hash, from the cache if possible; returns an empty verdict if the content cannot be read. */
  findByHash(
    known: { hash: string; type: string },
    read: () => Promise<string | undefined>,
  ): Promise<PatternVerdict>
}

export interface LivePatterns {
  /** The patterns in memory. Callers must check that their revision is still current when they act on a verdict. */
  readonly held: HeldPatterns
  /** Returns the database's current patterns. */
  current(): Promise<HeldPatterns>
  /** Loads the patterns from the database. */
  reload(): Promise<HeldPatterns>
  close(): void
}

const MOST_VERDICTS = 20_000
/** Steps times characters: blocks this process for at most a sixth of a second. */
const MOST_WORK_HERE = 5_000_000
const TIMEOUT_MS = 3000

export function createLivePatterns({ orm }: Pick<Database, 'orm'>): LivePatterns {
  const aside = createSideProcess<PatternRequest, PatternVerdict>({
    name: 'search for patterns',
    program: new URL('./pattern-process', import.meta.url),
    timeoutMs: TIMEOUT_MS,
    tooHard,
  })
  let held = hold(aside, { revision: 0, patterns: [] })
  let loading: Promise<HeldPatterns> | undefined

  /** Callers that arrive during a load wait for the next one, because the running load may miss newer patterns. */
  async function reload(): Promise<HeldPatterns> {
    const before = loading
    const own = (before?.catch(() => undefined) ?? Promise.resolve()).then(async () => {
      const read = await readPatterns(orm)
      if (read.revision !== held.revision) held = hold(aside, read)
      return held
    })
    loading = own
    return own
  }

  return {
    get held() {
      return held
    },
    reload,
    current: async () => {
      const [row] = await orm.execute<{ revision: string }>(sql`select revision from pattern_revision`)
      return Number(row?.revision) === held.revision ? held : reload()
    },
    close: aside.close,
  }
}

type Row = Pick<typeof pattern.$inferSelect, 'id' | 'kind' | 'type' | 'pattern'>

async function readPatterns(orm: Database['orm']): Promise<{ revision: number; patterns: Row[] }> {
  return orm.transaction(
    async (tx) => {
      const [row] = await tx.execute<{ revision: string }>(sql`select revision from pattern_revision`)
      const { id, kind, type, pattern: text } = pattern
      const patterns = await tx
        .select({ id, kind, type, pattern: text })
        .from(pattern)
        .where(isNull(pattern.removedAt))
      return { revision: Number(row?.revision), patterns }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

/** Caches verdicts, which depend only on the content and the patterns. */
function hold(
  aside: SideProcess<PatternRequest, PatternVerdict>,
  { revision, patterns }: { revision: number; patterns: readonly Row[] },
): HeldPatterns {
  const set = createPatternSet(patterns)
  const verdicts = new LRUCache<string, PatternVerdict>({ max: MOST_VERDICTS })
  const find = async (content: string, type: string): Promise<PatternVerdict> => {
    if (patterns.length === 0) return {}
    const isShort = content.length * set.stepsFor(type) <= MOST_WORK_HERE
    return isShort ? set.find(content, type) : aside.ask({ revision, patterns, content, type })
  }
  return {
    revision,
    find,
    findByHash: async ({ hash, type }, read) => {
      const key = `${type} ${hash}`
      const known = verdicts.get(key)
      if (known) return known
      if (patterns.length === 0) return {}
      const content = await read()
      if (content === undefined) return {}
      const verdict = await find(content, type)
      verdicts.set(key, verdict)
      return verdict
    },
  }
}

function tooHard(): PmlError {
  return new PmlError(
    'unavailable',
    'Cannot compare the content with the patterns in time; make it smaller, or the patterns simpler',
  )
}
