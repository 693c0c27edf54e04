import { availableParallelism } from 'node:os'
import type { Name } from '@pml/core'
import type { Logger } from 'pino'
import { CATALOG_CONNECTIONS, type Database } from '../db/connect.ts'
import { openBodyFile } from './body-file.ts'
import { createCatalogLane, type LaneLimits } from './catalog-lane.ts'
import { createCatalogPages, type CatalogPages } from './catalog-pages.ts'
import { startCollectingWords } from './collect-words.ts'
import { startConfigSync, type ConfigSync } from './config-sync.ts'
import { createCurrentEntries, type CurrentEntries } from './current-entries.ts'
import { createEntryStore } from './entry-store.ts'
import { followChanges } from './follow-changes.ts'
import { createModuleParser, type ModuleParser } from './modules/module-parser.ts'
import { startReadingAhead } from './read-ahead.ts'

/** The entries of the registry, cached and kept up to date. */
export interface Catalog {
  readonly entries: CurrentEntries
  readonly pages: CatalogPages
  readonly modules: ModuleParser
  readonly sync: ConfigSync
  /** Drops a name from the caches. */
  forget(name: Name): void
  /** Reports whether changes of other replicas arrive. */
  isFollowing(): boolean
  /** Cancels running and waiting searches. */
  release(): void
  stop(): Promise<void>
}

interface CatalogDeps {
  readonly db: Database
  readonly log: Logger
  readonly config: {
    readonly cacheBytes: number
    readonly cacheFileBytes: number
    readonly dataDir: string
    readonly configDir: string
  }
  readonly catalogLimits?: LaneLimits | undefined
  readonly stdDir: string
}

/** With two cores, one stays free for approvals. */
const CATALOG_LIMITS: LaneLimits = {
  lanes: availableParallelism() > 2 ? CATALOG_CONNECTIONS : 1,
  mostWaiting: 64,
  patienceMs: 5000,
}
/** The share of the cache memory for pages of the catalog. */
const PAGES_SHARE = 1 / 8

export async function openCatalog({
  db,
  log,
  config,
  catalogLimits = CATALOG_LIMITS,
  stdDir,
}: CatalogDeps): Promise<Catalog> {
  const modules = createModuleParser()
  const bodyFile = openBodyFile(config.dataDir)
  const store = createEntryStore(bodyFile, {
    memoryBytes: config.cacheBytes * (1 - PAGES_SHARE),
    fileBytes: config.cacheFileBytes,
  })
  const entries = createCurrentEntries(db, store, log)
  const lane = createCatalogLane(db.catalog, catalogLimits)
  const pages = createCatalogPages(lane, { maxBytes: config.cacheBytes * PAGES_SHARE })
  const collector = startCollectingWords(db, { onWords: pages.clear, log })
  const clearPages = () => {
    pages.clear()
    collector.poke()
  }
  const forget = (name: Name) => {
    entries.drop(name)
    clearPages()
  }
  const clear = () => {
    entries.clear()
    clearPages()
  }
  const follower = await followChanges(db, { drop: forget, clear }, log)
  const sync = await startConfigSync({ db, modules, log }, { configDir: config.configDir, stdDir })
  const ahead = startReadingAhead(db, entries, log)
  return {
    entries,
    pages,
    modules,
    sync,
    forget,
    isFollowing: () => follower.healthy,
    release: lane.close,
    stop: async () => {
      lane.close()
      await collector.stop()
      await sync.stop()
      await ahead.stop()
      await follower.stop()
      modules.close()
      bodyFile.close()
    },
  }
}
