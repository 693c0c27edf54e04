import { join } from 'node:path'
import { PmlError } from '@pml/core'
import type { ClientOptions } from '../api/pml.ts'
import { answersFolderOf, openKeptAnswers } from '../workspace/prompts/kept-answers.ts'
import { openPendingApprovals } from '../workspace/prompts/pending-approvals.ts'
import { openContentCache } from '../registry/content-cache.ts'
import type { CacheFolders } from './cache/list-cached.ts'
import { createSweeper } from './cache/sweeper.ts'
import type { CallParts } from './call-parts.ts'
import { depsPathOf, openDepsFile } from '../workspace/consent.ts'
import { createSessions } from './sessions.ts'
import { stateHomeOf, type Ops } from '../machine/ops.ts'
import { historyPathOf, openReleaseHistory } from '../registry/release-history.ts'
import { openPerson } from '../machine/person/person.ts'
import { openHttp, type Http } from '../registry/http.ts'
import { createRegistryClient } from '../registry/registry-client.ts'
import { DEFAULT_REGISTRY, findRegistry, type Settings } from '../machine/settings.ts'
import { timings, type ServersMode } from '../servers/supervise/servers-mode.ts'
import type { Servers } from '../servers/servers.ts'
import { VERSION } from '../machine/version.ts'
import { clientIdOf } from '../workspace/client-id.ts'
import { openWorkspace, type Workspace } from '../workspace/open-workspace.ts'

/** Everything that the verbs of a workspace need, wired together. */
export interface Client extends CallParts, Workspace {
  readonly http: Http
  readonly folders: CacheFolders
  /** Where files are kept that servers wrote into trees. */
  readonly keepIn: string
  /** However often it is called, there is one end. */
  close(): Promise<void>
}

export async function openClient(
  ops: Ops,
  { mode = 'once', ...options }: ClientOptions & { readonly mode?: ServersMode } = {},
): Promise<Client> {
  const workspace = await openWorkspace(ops, options)
  const { files, config, settings } = workspace
  const { registry: written } = await config.read()
  await tellUnused(workspace, ops)
  const { registry, apiKey } = chooseRegistry(settings, written, ops)
  const { timeoutMs, proxies, approvalMs, cacheBytes } = settings
  const http = openHttp({
    registry,
    apiKey,
    timeoutMs,
    proxies,
    isInsecureAllowed: options.insecureHttp ?? false,
  })
  const { tell, now, cacheHome } = ops
  const folders = {
    content: join(cacheHome, 'content'),
    trees: join(cacheHome, 'trees'),
    deno: join(cacheHome, 'deno'),
  }
  const keepIn = join(stateHomeOf(ops.env, ops.platform), 'kept')
  const stamp = join(cacheHome, 'swept')
  const sweeper = createSweeper(folders, { limitBytes: cacheBytes, stamp, keepIn, tell })
  const sessions = createSessions({ timing: timings[mode], now })
  const lifetime = new AbortController()
  let servers: Promise<Servers> | undefined
  const close = async () => {
    // Whoever asked for servers that cannot be opened was told.
    await servers?.then((opened) => opened.close(0)).catch(() => undefined)
    await sessions.close()
    lifetime.abort()
    await sweeper.finish()
    await http.close()
  }
  let closing: Promise<void> | undefined
  const parts: Omit<CallParts, 'servers'> & Workspace = {
    ...workspace,
    ops,
    person: openPerson(ops),
    cache: openContentCache({ folder: folders.content, tell, onPut: sweeper.onPut }),
    registry: createRegistryClient(http, registry),
    approvals: openPendingApprovals({
      folder: files.approvals,
      lifetimeMs: approvalMs,
      answers: openKeptAnswers({ folder: answersFolderOf(files, ops), lifetimeMs: approvalMs, now }),
      clientId: () => clientIdOf(files),
      now,
    }),
    history: openReleaseHistory(historyPathOf(files, ops)),
    deps: openDepsFile(depsPathOf(files, ops)),
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
  return {
    ...parts,
    http,
    folders,
    keepIn,
    servers: () => (servers ??= findServers(parts)),
    close: () => (closing ??= close()),
  }
}

/** Most commands need none of it. */
async function findServers(parts: Omit<CallParts, 'servers'>): Promise<Servers> {
  const { openOwnServers } = await import('../servers/open-own-servers.ts')
  return openOwnServers(parts)
}

/**
 * The environment's word, then the workspace's, if the person has agreed to it. A key is of a person, and a workspace may be
 * anybody's: it goes to no address that only `.pml.json` names.
 */
function chooseRegistry(
  { registry, apiKey }: Settings,
  written: string | undefined,
  { tell }: Ops,
): { registry: URL; apiKey: string | undefined } {
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

/** A person who fetches from another registry than the file names must know it. */
async function tellUnused({ config, settings }: Workspace, { tell }: Ops): Promise<void> {
  const { unagreed, isGivenByOperator } = await config.readTrust()
  const isUnused = !isGivenByOperator && unagreed.some((part) => part.startsWith('cloud.url '))
  if (isUnused && settings.registry === undefined)
    tell(`cloud.url of .pml.json is not used before you agree to it with "pml trust"`)
}
