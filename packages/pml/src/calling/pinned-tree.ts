import { IntegrityError, type Integrity, type Name } from '@pml/core'
import type { Approval } from '../approvals/approval.ts'
import type { PinnedPackage } from '../fetching/documents.ts'
import type { Proof } from '../person/proof.ts'
import { findNpm } from '../running/find-npm.ts'
import { installTree } from '../running/install-tree.ts'
import { verifyTree, type InstalledTree } from '../running/tree-store.ts'
import type { Call, CallParts } from './call-parts.ts'
import type { Dependency } from './deps-file.ts'

export type WantedDependency =
  | ({ readonly kind: 'pinned' } & PinnedPackage)
  | {
      readonly kind: 'command'
      readonly commandLine: string
      /** Files of the project that it names: it is agreed to with what is in them. */
      readonly files?: Readonly<Record<string, Integrity>>
      /** Variables of the environment that it gets. */
      readonly names?: readonly string[]
    }

const INSTALL_TIMEOUT_MS = 600_000

/**
 * A package is agreed to once, with the lock that was shown: once that is installed, later versions are changes of the entry,
 * which are asked about as such. A command that is not pinned is agreed to as it stands, to the letter.
 */
export async function isAgreed(
  { deps }: Pick<CallParts, 'deps'>,
  name: Name,
  wanted: WantedDependency,
): Promise<boolean> {
  const known = await deps.find(name)
  if (known?.kind === 'pinned' && wanted.kind === 'pinned')
    return known.package === wanted.package && (known.tree !== undefined || known.lock === wanted.lock)
  if (known?.kind !== 'command' || wanted.kind !== 'command') return false
  return known.commandLine === wanted.commandLine && hasSameFiles(known.files, wanted.files)
}

type Files = Readonly<Record<string, Integrity>>

function hasSameFiles(known: Files = {}, wanted: Files = {}): boolean {
  const names = Object.keys(wanted)
  if (names.length !== Object.keys(known).length) return false
  return names.every((name) => Object.hasOwn(known, name) && known[name] === wanted[name])
}

/** A person's yes, kept. */
export async function agree(
  { deps, now }: Pick<CallParts, 'deps' | 'now'>,
  name: Name,
  { wanted, proof }: { readonly wanted: WantedDependency; readonly proof: Proof | undefined },
): Promise<void> {
  const answer = { approvedAt: now().toISOString(), ...(proof && { proof }) }
  if (wanted.kind === 'command') {
    const { commandLine, files = {} } = wanted
    const named = Object.keys(files).length > 0 ? { files } : {}
    return deps.put(name, { kind: 'command', commandLine, ...named, ...answer })
  }
  const { package: pkg, version, lock } = wanted
  await deps.put(name, { kind: 'pinned', package: pkg, version, lock, ...answer })
}

export async function askAboutDependency(
  parts: CallParts,
  { fetched: { name }, operation }: Pick<Call, 'fetched' | 'operation'>,
  wanted: WantedDependency,
): Promise<Approval> {
  if (wanted.kind === 'command') {
    const { commandLine, names = [] } = wanted
    const gets = names.length > 0 ? `, with ${names.join(', ')} of the environment` : ''
    const description = `${name} is not pinned: to use it, this command is run on this machine${gets}: ${commandLine}`
    return parts.approvals.ask(
      { approvalType: 'dependency', fqdn: name, isPinned: false, commandLine, description },
      operation,
    )
  }
  const { package: pkg, version, lock, bin } = wanted
  const { packages, installScripts } = countIn(await readTreeLock(parts, lock))
  return parts.approvals.ask(
    {
      approvalType: 'dependency',
      fqdn: name,
      isPinned: true,
      commandLine: `node ${bin}`,
      package: pkg,
      version,
      lockIntegrity: lock,
      packages,
      installScripts,
      description: `${name} installs ${pkg} ${version} from npm with ${packages} packages, all pinned by ${lock}; install scripts are not run`,
    },
    operation,
  )
}

/** The pinned tree, installed once, and as it was installed. */
export async function installPinned(
  parts: CallParts,
  { fetched: { name }, limits: { signal } }: Pick<Call, 'fetched' | 'limits'>,
  { package: pkg, version, lock: integrity, bin }: PinnedPackage,
): Promise<InstalledTree> {
  const { ops, treesFolder, deps } = parts
  const lock = await readTreeLock(parts, integrity)
  const tree = await installTree(
    { folder: treesFolder },
    { lock, integrity, bin },
    { npm: await findNpm(ops), signal, timeoutMs: INSTALL_TIMEOUT_MS, kill: ops.kill, tell: ops.tell },
  )
  await verifyTree(tree)
  const known = await deps.find(name)
  if (known?.kind !== 'pinned') return tree
  const isSameLock = known.lock === integrity
  if (isSameLock && known.tree !== undefined && known.tree !== tree.digest)
    throw changedTree(name, { expected: known.tree, found: tree.digest })
  const now: Dependency = { ...known, package: pkg, version, lock: integrity, tree: tree.digest }
  if (!isSameLock || known.tree === undefined) await deps.put(name, now)
  return tree
}

async function readTreeLock(
  { cache, registry, isOffline }: CallParts,
  integrity: Integrity,
): Promise<Uint8Array> {
  const cached = await cache.find(integrity)
  if (cached) return cached
  if (isOffline)
    throw new IntegrityError(
      'integrity_mismatch',
      `Cannot install ${integrity} offline: its lock is not cached`,
    )
  const bytes = await registry.readBlob(integrity)
  await cache.put(integrity, bytes)
  return bytes
}

function countIn(lock: Uint8Array): { packages: number; installScripts: string[] } {
  const { packages = {} } = JSON.parse(new TextDecoder().decode(lock)) as {
    packages?: Record<string, { hasInstallScript?: boolean }>
  }
  const locations = Object.keys(packages).filter(Boolean)
  const installScripts = locations.filter((location) => packages[location]?.hasInstallScript === true)
  return { packages: locations.length, installScripts }
}

function changedTree(name: Name, { expected, found }: { expected: string; found: string }): IntegrityError {
  return new IntegrityError(
    'integrity_mismatch',
    `Cannot start ${name}: its installed tree was ${expected}, and is ${found} now; run "pml cache clean" to install it again, and find out who changed it`,
    { expected, found },
  )
}
