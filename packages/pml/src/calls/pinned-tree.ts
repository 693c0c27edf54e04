import { IntegrityError, type Integrity, type Name } from '@pml/core'
import type { Approval } from '../api/approval.ts'
import type { PinnedPackage } from '../workspace/documents.ts'
import { findNpm } from '../npm/run-npm.ts'
import { installTree } from '../npm/install-tree.ts'
import { verifyTree, type InstalledTree } from '../npm/tree-store.ts'
import type { Call, CallParts } from './call-parts.ts'
import type { Dependency, WantedDependency } from '../workspace/consent.ts'

const INSTALL_TIMEOUT_MS = 600_000

export async function askAboutDependency(
  parts: CallParts,
  { fetched: { name }, operation }: Pick<Call, 'fetched' | 'operation'>,
  wanted: Exclude<WantedDependency, { kind: 'pinned' }> | ({ readonly kind: 'pinned' } & PinnedPackage),
): Promise<Approval> {
  if (wanted.kind === 'command') {
    const { commandLine, names = [] } = wanted
    const gets = names.length > 0 ? `, with ${names.join(', ')} of the environment` : ''
    const description = `${name} is not pinned: to use it, this command runs on this machine${gets}: ${commandLine}`
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
      description: `${name} installs ${pkg} ${version} from npm with ${packages} packages, all pinned by ${lock}; install scripts do not run`,
    },
    operation,
  )
}

/** Installs the pinned tree unless it is installed, and verifies it. */
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
    `Cannot start ${name}: its installed tree was ${expected} and is ${found} now; run "pml cache clean" to install it again, and find out what changed it`,
    { expected, found },
  )
}
