import { join } from 'node:path'
import { PmlError } from '@pml/core'
import type { ClientOptions } from '../api/pml.ts'
import { answersFolderOf, openKeptAnswers } from '../workspace/prompts/kept-answers.ts'
import { openPendingApprovals } from '../workspace/prompts/pending-approvals.ts'
import { openContentCache } from '../registry/content-cache.ts'
import type { CacheFolders } from './cache/list-cached.ts'
import { createSweeper } from './cache/sweep-cache.ts'
import type { CallParts, Sessions } from './call-parts.ts'
import { depsPathOf, openDepsFile } from '../workspace/consent.ts'
import { superviseServer } from '../servers/supervise/supervise-server.ts'
import type { SupervisedServer, Supervision } from '../servers/supervise/supervised-server.ts'
import { stateHomeOf, type Ops } from '../machine/ops.ts'
import { historyPathOf, openReleaseHistory } from '../registry/release-history.ts'
import { openPerson } from '../machine/person/person.ts'
import { openHttp, type Http } from '../registry/http.ts'
import { createRegistryClient } from '../registry/registry-client.ts'
import { DEFAULT_REGISTRY, findRegistry } from '../machine/settings.ts'
import { timings, type ServersMode } from '../servers/supervise/servers-mode.ts'
import type { Servers } from '../servers/servers.ts'
import { VERSION } from '../machine/package-name.ts'
import { clientIdOf } from '../workspace/client-id.ts'
import { openWorkspace, type Workspace } from '../workspace/open-workspace.ts'

/** All parts of a workspace's client, wired together. */
export interface Client extends CallParts, Workspace {
  readonly http: Http
  readonly folders: CacheFolders
  /** The folder for files that servers wrote into removed trees. */
  readonly keepIn: string
  /** Closes the client; repeated calls share the result. */
  close(): Promise<void>
}

export async function openClient(
  ops: Ops,
  { mode = 'once', ...options }: ClientOptions & { readonly mode?: ServersMode } = {},
): Promise<Client> {
  const workspace = await openWorkspace(ops, options)
  const { registry, apiKey } = await chooseRegistry(workspace, ops)
  const { timeoutMs, proxies, cacheBytes: limitBytes } = workspace.settings
  const isInsecureAllowed = options.insecureHttp ?? false
  const http = openHttp({ registry, apiKey, timeoutMs, proxies, isInsecureAllowed })
  const { tell, now, cacheHome } = ops
  const folders = {
    content: join(cacheHome, 'content'),
    trees: join(cacheHome, 'trees'),
    deno: join(cacheHome, 'deno'),
  }
  const keepIn = join(stateHomeOf(ops.env, ops.platform), 'kept')
  const sweeper = createSweeper(folders, { limitBytes, stamp: join(cacheHome, 'swept'), keepIn, tell })
  const sessions = createSessions({ timing: timings[mode], now })
  const lifetime = new AbortController()
  const parts: Omit<CallParts, 'servers'> & Workspace = {
    ...workspace,
    ...storesOf(workspace, ops),
    ops,
    person: openPerson(ops),
    cache: openContentCache({ folder: folders.content, tell, onPut: sweeper.onPut }),
    registry: createRegistryClient(http, registry),
    sessions,
    mode,
    treesFolder: folders.trees,
    denoFolder: folders.deno,
    apiKey,
    version: VERSION,
    lifetime: lifetime.signal,
    isOffline: options.offline ?? false,
    now,
    tell,
  }
  let servers: Promise<Servers> | undefined
  let closing: Promise<void> | undefined
  const close = async () => {
    // A failure to open the servers was reported to the caller who asked for them.
    await servers?.then((opened) => opened.close(0)).catch(() => undefined)
    await sessions.close()
    lifetime.abort()
    await sweeper.finish()
    await http.close()
  }
  return {
    ...parts,
    http,
    folders,
    keepIn,
    servers: () => (servers ??= findServers(parts)),
    close: () => (closing ??= close()),
  }
}

/** Prompts, answers, consent and history of a workspace. All but the prompts are in the person's own folders. */
function storesOf({ files, settings: { approvalMs: lifetimeMs } }: Workspace, ops: Ops) {
  const { now } = ops
  return {
    approvals: openPendingApprovals({
      folder: files.approvals,
      lifetimeMs,
      answers: openKeptAnswers({ folder: answersFolderOf(files, ops), lifetimeMs, now }),
      clientId: () => clientIdOf(files),
      now,
    }),
    history: openReleaseHistory(historyPathOf(files, ops)),
    deps: openDepsFile(depsPathOf(files, ops)),
  }
}

function createSessions(care: Pick<Supervision, 'timing' | 'now'>): Sessions {
  const servers = new Map<string, SupervisedServer>()
  return {
    open: (key, starting, waiting) => {
      const server = servers.get(key) ?? superviseServer({ ...care, ...starting })
      servers.set(key, server)
      return server.open(waiting)
    },
    close: async () => {
      const all = [...servers.values()]
      servers.clear()
      await Promise.all(all.map((server) => server.close(0)))
    },
  }
}

/** Loaded on first use: most commands need no local servers. */
async function findServers(parts: Omit<CallParts, 'servers'>): Promise<Servers> {
  const { openServers } = await import('../servers/open-servers.ts')
  return openServers(parts)
}

/**
 * The registry that the environment names, else the one that `.pml.json` names, if the person has agreed to it. The key
 * belongs to the person and a workspace may come from anybody, so the key is not sent to an address that only `.pml.json` names.
 */
async function chooseRegistry(
  { config, settings: { registry, apiKey } }: Workspace,
  { tell }: Ops,
): Promise<{ registry: URL; apiKey: string | undefined }> {
  const { registry: written } = await config.read()
  const { unagreed, isGivenByOperator } = await config.readTrust()
  const isIgnored = !isGivenByOperator && unagreed.some((part) => part.startsWith('cloud.url '))
  if (isIgnored && registry === undefined)
    tell('cloud.url of .pml.json is ignored until you agree to it with "pml trust"')
  const chosen = registry ?? findRegistry(written ?? DEFAULT_REGISTRY)
  if (!chosen)
    throw new PmlError(
      'invalid_config',
      'Cannot use cloud.url of .pml.json: expected an address without a password',
    )
  const mayHaveKey = registry !== undefined || chosen.href === DEFAULT_REGISTRY
  if (apiKey !== undefined && !mayHaveKey)
    tell(
      `PML_API_KEY is not sent to ${chosen.origin}, which only .pml.json names; set PML_REGISTRY_URL=${chosen.origin} to send it`,
    )
  return { registry: chosen, apiKey: mayHaveKey ? apiKey : undefined }
}
