import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { PmlError, type Integrity, type Name } from '@pml/core'
import { readPlainFile } from '../machine/files/read-plain-file.ts'
import { writeAtomically } from '../machine/files/write-atomically.ts'
import { holdLock } from '../machine/hold-lock.ts'
import { stateHomeOf, type Ops } from '../machine/ops.ts'
import type { Proof } from '../machine/person/proof.ts'
import { requireFolder, type WorkspaceFiles } from './workspace-files.ts'

/** What a person has agreed to have installed or started in this workspace. */
export type Dependency =
  | {
      readonly kind: 'pinned'
      readonly package: string
      readonly version: string
      readonly lock: Integrity
      readonly approvedAt: string
      /** Absent in files of earlier versions. */
      readonly proof?: Proof
      /** Covers every file of the installed tree; absent until it is installed. */
      readonly tree?: Integrity
    }
  | {
      readonly kind: 'command'
      readonly commandLine: string
      /** Files of the project that the command names. */
      readonly files?: Readonly<Record<string, Integrity>>
      readonly approvedAt: string
      readonly proof?: Proof
    }
  /** A listing that a local server has shown on this machine. */
  | { readonly kind: 'seen'; readonly integrity: Integrity; readonly approvedAt: string }

export interface DepsFile {
  find(name: Name): Promise<Dependency | undefined>
  put(name: Name, dependency: Dependency): Promise<void>
  remove(name: Name): Promise<void>
}

/** What is about to be installed or started, to be compared with the person's consent. */
export type WantedDependency =
  | {
      readonly kind: 'pinned'
      readonly package: string
      readonly version: string
      readonly lock: Integrity
    }
  | {
      readonly kind: 'command'
      readonly commandLine: string
      /** Files of the project that the command names. The consent covers their content. */
      readonly files?: Readonly<Record<string, Integrity>>
      /** Variables of the environment that the command gets. */
      readonly names?: readonly string[]
    }

const LIMIT_BYTES = 16 * 1024 * 1024

/** In the person's state folder and not in the workspace: a repository could bring its own consent. */
export function depsPathOf(
  { root }: Pick<WorkspaceFiles, 'root'>,
  { env, platform }: Pick<Ops, 'env' | 'platform'>,
): string {
  const workspace = createHash('sha256').update(root).digest('hex')
  return join(stateHomeOf(env, platform), 'consent', `${workspace}.json`)
}

export function openDepsFile(path: string): DepsFile {
  async function read(): Promise<Map<Name, Dependency>> {
    const file = await readPlainFile(path, LIMIT_BYTES)
    return file ? parseDeps(file.bytes.toString('utf8'), path) : new Map()
  }
  async function change(make: (found: Map<Name, Dependency>) => void): Promise<void> {
    await requireFolder(dirname(path), 0o700)
    await holdLock(path, async (requireHeld) => {
      const found = await read()
      make(found)
      await writeAtomically(path, printDeps(found), { mode: 0o600, requireHeld })
    })
  }
  return {
    find: async (name) => (await read()).get(name),
    put: (name, dependency) => change((found) => found.set(name, dependency)),
    remove: async (name) => {
      if ((await read()).has(name)) await change((found) => void found.delete(name))
    },
  }
}

/**
 * Consent to a package is given once, with the lock that was shown. After its installation, later versions are changes of
 * the entry, which have their own prompt. Consent to an unpinned command covers exactly this command line.
 */
export async function isAgreed(
  { deps }: { readonly deps: DepsFile },
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

/** Stores a person's consent. */
export async function agree(
  { deps, now }: { readonly deps: DepsFile; readonly now: () => Date },
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

function printDeps(deps: ReadonlyMap<Name, Dependency>): string {
  const sorted = [...deps].sort(([a], [b]) => (a < b ? -1 : 1))
  return `${JSON.stringify({ version: 1, dependencies: Object.fromEntries(sorted) }, null, 2)}\n`
}

/** Throws for anything that pml did not write: consent that cannot be read is no consent. */
function parseDeps(text: string, path: string): Map<Name, Dependency> {
  try {
    const { version, dependencies } = JSON.parse(text) as { version: unknown; dependencies: object }
    if (version === 1 && dependencies !== null && typeof dependencies === 'object')
      return new Map(Object.entries(dependencies) as [Name, Dependency][])
  } catch {
    // Reported below.
  }
  const fix = 'remove it to be asked again about what is installed'
  throw new PmlError('invalid_config', `Cannot read ${path}: expected what pml wrote, version 1; ${fix}`)
}
