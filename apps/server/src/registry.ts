import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns'
import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { PmlError } from '@pml/core'
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
import { startAudit, type RunningAudit } from './audit/start-audit.ts'
import type { LaneLimits } from './catalog/catalog-lane.ts'
import { openCatalog, type Catalog } from './catalog/open-catalog.ts'
import type { Config } from './config.ts'
import type { Database } from './db/connect.ts'
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
import { createRefusals, type Refusals } from './keys/refusals.ts'
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
import { loadRegistryTools, type RegistryContext, type RegistryParts } from './registry-tools.ts'

interface Registry {
  readonly listener: RequestListener
  /** Ends searches, waits and event streams, so that no request stays open. */
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
    /** The timeout of a body without progress. */
    readonly bodyIdleMs?: number
  }
  /** The values of `${NAME}` in connections of the registry to configured servers. */
  readonly variables: ReadonlyMap<string, string>
  /** The first pause before a webhook is retried. */
  readonly webhookPauseMs?: number | undefined
  /** The limits of proxied calls. */
  readonly proxyLimits?: ProxyLimits | undefined
  /** Signs the audit log. */
  readonly signer: LogSigner
  /** The limits of concurrent listing and searching. */
  readonly catalogLimits?: LaneLimits | undefined
  readonly stdDir: string
  /** The folder of the tools; defaults to the registry's own. */
  readonly toolsDir?: string | undefined
  readonly assets: URL
  /** The number of migrations of this version. */
  readonly migrations: number
}

/** The limit of one network: an IPv4 address, or a /64 of IPv6. */
const FAILED_KEYS_PER_MINUTE = 60
const ALL_FAILED_KEYS_PER_MINUTE = 600
const BODY_IDLE_MS = 10_000
const WEBHOOK_PAUSE_MS = 2000
const INSTRUCTIONS =
  'A registry of MCPs in which nothing changes silently. Search it with catalog_search, then catalog_get gives the code or the document with its integrity.'

/** Wires everything between the database and the socket. */
export async function createRegistry(deps: RegistryDeps): Promise<Registry> {
  const { db, log, config, signer } = deps
  const catalog = await openCatalog(deps)
  const { entries, pages, sync } = catalog
  const audit = await startAudit(db, {
    log,
    signer,
    retentionDays: () => (sync.approvals ?? usualApprovalConfig).auditRetentionDays,
  })
  const outgoing = openOutgoing(deps, { catalog, audit })
  const bodies = createBodies({
    budgetBytes: config.bodyBudgetBytes,
    idleMs: config.bodyIdleMs ?? BODY_IDLE_MS,
  })
  const metrics = createMetrics({
    cacheBytes: () => entries.heldBytes,
    databaseUp: () => catalog.isFollowing(),
    proxiedCalls: () => outgoing.proxy.running,
    bodyBytes: () => bodies.heldBytes,
  })
  await recheckPatterns(db, log)
  const parts = openParts(deps, { catalog, audit })
  const { approvals } = parts
  const judge = createJudge()
  const hooks = { approvals, enforcement: () => sync.enforcement ?? noPolicy(), judge, now: () => new Date() }
  const limits = createLimits(config)
  const refusals = createRefusals(db, log)
  const recorder = createRecorder({ log, metrics, reads: limits.reads, newRequestId: requestIds() })
  const calls = await openTools(deps, { parts, limits, refusals })
  const keys = await followKeys(db, log)
  const { trustProxy } = config
  const app = createApp({
    ...parts,
    ...limits,
    ...calls,
    bodies,
    findForeign: createForeignCheck(config),
    findKey: createFindKey(db),
    hooks,
    keys,
    log,
    metrics,
    proxy: outgoing.proxy,
    recorder,
    refusals,
    trustProxy,
    seats: { exports: createSeats({ most: 20, perKey: 4 }), mcp: createSeats({ most: 500, perKey: 50 }) },
    docs: readDocsPage(deps.assets),
    publicUrl: config.publicUrl,
  })
  const routed = getRequestListener(app.fetch, { overrideGlobalObjects: false, hostname: 'localhost' })
  return {
    listener: createReadLane({ entries, pages, recorder, trustProxy, log, routed }),
    release: () => {
      catalog.release()
      approvals.waits.close()
      approvals.streams.close()
    },
    // Calls end before the parts that they use.
    stop: async () => {
      await calls.mcp.close()
      await keys.stop()
      await outgoing.stop()
      await catalog.stop()
      await refusals.stop()
      await audit.stop()
      approvals.patterns.close()
      judge.close()
    },
  }
}

interface Opened {
  readonly catalog: Catalog
  readonly audit: RunningAudit
}

/** Opens the connections to other servers: proxied calls and webhooks. */
function openOutgoing(
  { db, log, config, variables, webhookPauseMs = WEBHOOK_PAUSE_MS, proxyLimits = usualLimits }: RegistryDeps,
  { catalog: { entries, sync }, audit }: Opened,
) {
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
  const proxy = createProxy({ db, entries, log, variables, allow, lookup, limits: proxyLimits })
  return {
    proxy,
    stop: async () => {
      await proxy.close()
      await webhooks.stop()
      await upstream.close()
    },
  }
}

/** Assembles the parts that verbs and tools use. */
function openParts({ db, migrations }: RegistryDeps, { catalog, audit }: Opened): RegistryParts {
  const { entries, pages, modules, forget, sync } = catalog
  const config = () => sync.approvals ?? noApprovalConfig()
  return {
    db,
    audit,
    entries,
    pages,
    modules,
    routeTool: sync.routeTool,
    forget,
    approvals: createApprovals({ db, config, announce: audit.poke }),
    readiness: () => checkReadiness(db, { problems: sync.problems, migrations }),
    learning: { db, config, patternFor },
  }
}

function createLimits({ writesPerMinute, readsPerMinute }: RegistryDeps['config']) {
  const now = () => performance.now()
  return {
    failures: createFailureLimit({
      perMinute: FAILED_KEYS_PER_MINUTE,
      totalPerMinute: ALL_FAILED_KEYS_PER_MINUTE,
      now,
    }),
    writes: createRateLimit({ perMinute: writesPerMinute, now }),
    reads: readsPerMinute === undefined ? undefined : createRateLimit({ perMinute: readsPerMinute, now }),
  }
}

/** Loads the registry's tools, with the toolbox and the MCP endpoint that call them. */
async function openTools(
  { log, config, toolsDir }: RegistryDeps,
  {
    parts,
    limits,
    refusals,
  }: { parts: RegistryParts; limits: ReturnType<typeof createLimits>; refusals: Refusals },
) {
  const tools = await offeredTools({ toolsDir, disabled: config.disabledTools, log })
  const toolbox = createRegistryToolbox(tools, parts, { ...limits, refusals, log })
  const mcp = createMcpEndpoint(toolbox, {
    info: { name: 'pml-registry', version: VERSION },
    instructions: INSTRUCTIONS,
    maxBodyBytes: TOOL_LIMIT_BYTES,
    onFault: (fault) => log.error({ err: fault }, 'a tool failed unexpectedly'),
  })
  return { tools, toolbox, mcp }
}

/** Refuses every decision, because the configuration of reviewers is unknown. */
function noApprovalConfig(): never {
  throw new PmlError(
    'unavailable',
    'Cannot decide about changes: the configuration cannot be read; /readyz shows the problem',
  )
}

/** Fails, so that hooks block everything while the policy is unknown. */
function noPolicy(): never {
  throw new PmlError(
    'invalid_config',
    'There is no policy: config/enforcement.json is missing or cannot be read; /readyz shows the problem',
  )
}

/** Loads the tools: logs and skips invalid ones, and throws if a disabled name is unknown. */
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
  for (const problem of tools.validateAll().problems) log.error(problem, 'skipped an invalid tool')
  // Look all names up before disabling any: an old and a new name may both be given.
  for (const name of disabled.map((given) => requireTool(tools, given))) tools.disable(name)
  return tools
}

function requireTool(tools: ToolRegistry<RegistryContext>, given: string): string {
  const tool = tools.find(given)
  if (tool) return tool.name
  const { message } = unknownTool(given, tools.names())
  throw new PmlError('invalid_config', `Cannot use PML_DISABLED_TOOLS: ${message}`)
}

/** Creates short ids that are unique across processes. */
function requestIds(): () => string {
  const own = randomBytes(4).toString('hex')
  let count = 0
  return () => `${own}-${(count++).toString(36)}`
}
