import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns'
import type { RequestListener } from 'node:http'
import { availableParallelism } from 'node:os'
import { getRequestListener } from '@hono/node-server'
import { PmlError, type Name } from '@pml/core'
import { usualApprovalConfig } from '@pml/core/approval-config'
import { patternFor } from '@pml/core/approvals'
import type { LogSigner } from '@pml/core/audit'
import { unknownTool, type ToolRegistry } from '@pml/tools'
import { createMcpEndpoint } from '@pml/tools/mcp'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import { createApprovals } from './changes/create-approvals.ts'
import { recheckPatterns } from './patterns/recheck-patterns.ts'
import { createSeats } from './changes/seats.ts'
import { startAudit } from './audit/start-audit.ts'
import { openBodyFile } from './catalog/body-file.ts'
import { createCatalogLane, type LaneLimits } from './catalog/catalog-lane.ts'
import { createCatalogPages } from './catalog/catalog-pages.ts'
import { startCollectingWords } from './catalog/collect-words.ts'
import { startConfigSync } from './catalog/config-sync.ts'
import { createCurrentEntries } from './catalog/current-entries.ts'
import { createEntryStore } from './catalog/entry-store.ts'
import { followChanges } from './catalog/follow-changes.ts'
import { createModuleParser } from './catalog/modules/module-parser.ts'
import { startReadingAhead } from './catalog/read-ahead.ts'
import type { Config } from './config.ts'
import { CATALOG_CONNECTIONS, type Database } from './db/connect.ts'
import { readDocsPage } from './docs/docs-page.ts'
import { createFailureLimit } from './keys/failure-limit.ts'
import { createForeignCheck } from './wire/foreign-requests.ts'
import { createReadLane } from './http/read-lane.ts'
import { createRecorder } from './wire/record-requests.ts'
import { createRateLimit } from './wire/rate-limit.ts'
import { createBodies } from './wire/read-body.ts'
import { TOOL_LIMIT_BYTES } from './wire/read-body.ts'
import { createJudge } from './hooks/judge.ts'
import { createFindKey } from './keys/find-key.ts'
import { followKeys } from './keys/follow-keys.ts'
import { createRefusals } from './keys/refusals.ts'
import { createMetrics } from './metrics.ts'
import { createAllowList } from './proxy/allow-list.ts'
import { createProxy } from './proxy/create-proxy.ts'
import { usualLimits, type ProxyLimits } from './proxy/limits.ts'
import { createUpstream } from './proxy/upstream.ts'
import { checkReadiness } from './readiness.ts'
import { createRegistryToolbox } from './registry-toolbox.ts'
import { VERSION } from './version.ts'
import { createSendWebhook } from './webhooks/send-webhook.ts'
import { startWebhooks } from './webhooks/start-webhooks.ts'
import { loadRegistryTools, type RegistryContext } from './registry-tools.ts'

export interface Registry {
  readonly listener: RequestListener
  /** Lets go of those who wait for decisions, so that no request stays open. */
  release(): void
  stop(): Promise<void>
}

export interface RegistryDeps {
  readonly db: Database
  readonly log: Logger
  readonly config: Pick<
    Config,
    | 'cacheBytes'
    | 'cacheFileBytes'
    | 'dataDir'
    | 'configDir'
    | 'writesPerMinute'
    | 'readsPerMinute'
    | 'trustProxy'
    | 'publicUrl'
    | 'disabledTools'
    | 'host'
    | 'allowedHosts'
    | 'proxyAllow'
    | 'bodyBudgetBytes'
  > & {
    /** How long a body may make no progress, if not the usual time. */
    readonly bodyIdleMs?: number
  }
  /** What `${NAME}` stands for where the registry itself connects to a configured server. */
  readonly variables: ReadonlyMap<string, string>
  /** Before a webhook is told again, if not what is usual. */
  readonly webhookPauseMs?: number | undefined
  /** What proxied calls may take, if not what is usual. */
  readonly proxyLimits?: ProxyLimits | undefined
  /** Signs the audit log. */
  readonly signer: LogSigner
  /** How many list and search at a time, if not as many as usual. */
  readonly catalogLimits?: LaneLimits | undefined
  readonly stdDir: string
  /** Where the tools are, if not in their own folder. */
  readonly toolsDir?: string | undefined
  readonly assets: URL
  /** How many migrations this version knows. */
  readonly migrations: number
}

/** With two cores a second search would take the one that approvals need. */
const CATALOG_LIMITS: LaneLimits = {
  lanes: availableParallelism() > 2 ? CATALOG_CONNECTIONS : 1,
  mostWaiting: 64,
  patienceMs: 5000,
}
/** Of one network: an IPv4 address, or a /64 of IPv6. */
const FAILED_KEYS_PER_MINUTE = 60
const ALL_FAILED_KEYS_PER_MINUTE = 600
const BODY_IDLE_MS = 10_000
const WEBHOOK_PAUSE_MS = 2000
const INSTRUCTIONS =
  'A registry of MCPs in which nothing changes silently. Search it with catalog_search, then catalog_get gives the code or the document with its integrity.'
/** The share of the cache's memory that goes to pages of the catalog. */
const PAGES_SHARE = 1 / 8

/** Everything between the database and the socket, wired together. */
export async function createRegistry({
  db,
  log,
  config,
  variables,
  webhookPauseMs = WEBHOOK_PAUSE_MS,
  proxyLimits = usualLimits,
  signer,
  catalogLimits = CATALOG_LIMITS,
  stdDir,
  toolsDir,
  assets,
  migrations,
}: RegistryDeps): Promise<Registry> {
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
  const dropped = dropping(entries, {
    clear: () => {
      pages.clear()
      collector.poke()
    },
  })
  const follower = await followChanges(db, dropped, log)
  const sync = await startConfigSync({ db, modules, log }, { configDir: config.configDir, stdDir })
  const audit = await startAudit(db, {
    log,
    signer,
    retentionDays: () => (sync.approvals ?? usualApprovalConfig).auditRetentionDays,
  })
  const allow = createAllowList(config.proxyAllow)
  const upstream = createUpstream({ allow, lookup, limits: proxyLimits })
  const webhooks = startWebhooks({
    db,
    audit,
    log,
    variables,
    config: () => sync.approvals ?? usualApprovalConfig,
    send: createSendWebhook(upstream),
    firstPauseMs: webhookPauseMs,
  })
  const ahead = startReadingAhead(db, entries, log)

  const proxy = createProxy({
    db,
    entries,
    log,
    variables,
    allow,
    lookup,
    limits: proxyLimits,
  })
  const limit = (perMinute: number) => createRateLimit({ perMinute, now: () => performance.now() })
  const bodies = createBodies({
    budgetBytes: config.bodyBudgetBytes,
    idleMs: config.bodyIdleMs ?? BODY_IDLE_MS,
  })
  const metrics = createMetrics({
    cacheBytes: () => entries.heldBytes,
    databaseUp: () => follower.healthy,
    proxiedCalls: () => proxy.running,
    bodyBytes: () => bodies.heldBytes,
  })
  const refusals = createRefusals(db, log)
  await recheckPatterns(db, log)
  const approvalConfig = () => sync.approvals ?? noApprovalConfig()
  const approvals = createApprovals({ db, config: approvalConfig, announce: audit.poke })
  const judge = createJudge()
  const enforcement = () => sync.enforcement ?? noPolicy()
  const hooks = { approvals, enforcement, judge, now: () => new Date() }
  const parts = {
    db,
    audit,
    entries,
    pages,
    modules,
    routeTool: sync.routeTool,
    forget: dropped.drop,
    approvals,
    readiness: () => checkReadiness(db, { problems: sync.problems, migrations }),
    learning: { db, config: approvalConfig, patternFor },
  }
  const limits = {
    failures: createFailureLimit({
      perMinute: FAILED_KEYS_PER_MINUTE,
      totalPerMinute: ALL_FAILED_KEYS_PER_MINUTE,
      now: () => performance.now(),
    }),
    writes: limit(config.writesPerMinute),
    reads: config.readsPerMinute === undefined ? undefined : limit(config.readsPerMinute),
  }
  const recorder = createRecorder({ log, metrics, reads: limits.reads, newRequestId: requestIds() })
  const tools = await offeredTools({ toolsDir, disabled: config.disabledTools, log })
  const toolbox = createRegistryToolbox(tools, parts, { ...limits, refusals, log })
  const mcp = createMcpEndpoint(toolbox, {
    info: { name: 'pml-registry', version: VERSION },
    instructions: INSTRUCTIONS,
    maxBodyBytes: TOOL_LIMIT_BYTES,
    onFault: (fault) => log.error({ err: fault }, 'a tool failed unexpectedly'),
  })
  const keys = await followKeys(db, log)
  const calls = {
    findKey: createFindKey(db),
    keys,
    tools,
    toolbox,
    mcp,
    findForeign: createForeignCheck(config),
    trustProxy: config.trustProxy,
    bodies,
  }
  const app = createApp({
    ...parts,
    ...limits,
    ...calls,
    refusals,
    proxy,
    hooks,
    metrics,
    log,
    recorder,
    seats: {
      exports: createSeats({ most: 20, perKey: 4 }),
      mcp: createSeats({ most: 500, perKey: 50 }),
    },
    docs: readDocsPage(assets),
    publicUrl: config.publicUrl,
  })
  return {
    listener: createReadLane({
      entries,
      pages,
      recorder,
      trustProxy: config.trustProxy,
      log,
      routed: getRequestListener(app.fetch, { overrideGlobalObjects: false, hostname: 'localhost' }),
    }),
    release: () => {
      lane.close()
      approvals.waits.close()
      approvals.streams.close()
    },
    stop: async () => {
      await mcp.close()
      await proxy.close()
      await keys.stop()
      lane.close()
      await collector.stop()
      await sync.stop()
      await ahead.stop()
      await webhooks.stop()
      await upstream.close()
      await follower.stop()
      await refusals.stop()
      await audit.stop()
      modules.close()
      approvals.patterns.close()
      judge.close()
      bodyFile.close()
    },
  }
}

/** Who may decide is not known, so nobody may. */
function noApprovalConfig(): never {
  throw new PmlError(
    'unavailable',
    'Cannot decide about changes: the configuration cannot be read; /readyz says what is wrong with it',
  )
}

/** What is allowed is not known, so nothing is. */
function noPolicy(): never {
  throw new PmlError(
    'invalid_config',
    'There is no policy: config/enforcement.json is missing or cannot be read; /readyz says what is wrong with it',
  )
}

/** A tool that is not valid is told about and left out; a name that is none is the operator's slip. */
async function offeredTools({
  toolsDir,
  disabled,
  log,
}: {
  toolsDir: string | undefined
  disabled: readonly string[]
  log: Logger
}): Promise<ToolRegistry<RegistryContext>> {
  const tools = await loadRegistryTools(toolsDir)
  for (const problem of tools.validateAll().problems)
    log.error(problem, 'a tool is not valid and is left out')
  // All are looked up before one is disabled: a former name and the new one may both be given.
  for (const name of disabled.map((asked) => requireTool(tools, asked))) tools.disable(name)
  return tools
}

function requireTool(tools: ToolRegistry<RegistryContext>, asked: string): string {
  const tool = tools.find(asked)
  if (tool) return tool.name
  const { message } = unknownTool(asked, tools.names())
  throw new PmlError('invalid_config', `Cannot use PML_DISABLED_TOOLS: ${message}`)
}

function dropping(entries: ReturnType<typeof createCurrentEntries>, pages: { clear(): void }) {
  return {
    drop: (name: Name) => {
      entries.drop(name)
      pages.clear()
    },
    clear: () => {
      entries.clear()
      pages.clear()
    },
  }
}

/** Short, and different in every process. */
function requestIds(): () => string {
  const own = randomBytes(4).toString('hex')
  let count = 0
  return () => `${own}-${(count++).toString(36)}`
}
