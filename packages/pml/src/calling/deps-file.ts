import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { PmlError, type Integrity, type Name } from '@pml/core'
import { readPlainFile } from '../files/read-plain-file.ts'
import { writeAtomically } from '../files/write-atomically.ts'
import { holdLock } from '../lock/hold-lock.ts'
import { stateHomeOf, type Ops } from '../ops.ts'
import type { Proof } from '../person/proof.ts'
import { requireFolder, type WorkspaceFiles } from '../workspace/workspace-files.ts'

/** What a person has agreed to have installed or started in this workspace. */
export type Dependency =
  | {
      readonly kind: 'pinned'
      readonly package: string
      readonly version: string
      readonly lock: Integrity
      readonly approvedAt: string
      /** Absent in what earlier versions wrote. */
      readonly proof?: Proof
      /** Of every file of the installed tree; absent until it was installed. */
      readonly tree?: Integrity
    }
  | {
      readonly kind: 'command'
      readonly commandLine: string
      /** Files of the project that it names. */
      readonly files?: Readonly<Record<string, Integrity>>
      readonly approvedAt: string
      readonly proof?: Proof
    }
  /** What a server on this machine has shown. */
  | { readonly kind: 'seen'; readonly integrity: Integrity; readonly approvedAt: string }

export interface DepsFile {
  find(name: Name): Promise<Dependency | undefined>
  put(name: Name, dependency: Dependency): Promise<void>
  remove(name: Name): Promise<void>
}

const LIMIT_BYTES = 16 * 1024 * 1024

/** It stands with the person, not in the workspace: whoever wrote the repository could have put a yes beside the command. */
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

function printDeps(deps: ReadonlyMap<Name, Dependency>): string {
  const sorted = [...deps].sort(([a], [b]) => (a < b ? -1 : 1))
  return `${JSON.stringify({ version: 1, dependencies: Object.fromEntries(sorted) }, null, 2)}\n`
}

/** Throws for whatever this program did not write: consent that cannot be read is none. */
function parseDeps(text: string, path: string): Map<Name, Dependency> {
  try {
    const { version, dependencies } = JSON.parse(text) as { version: unknown; dependencies: object }
    if (version === 1 && dependencies !== null && typeof dependencies === 'object')
      return new Map(Object.entries(dependencies) as [Name, Dependency][])
  } catch {
    // It is told below.
  }
  const fix = 'remove it to be asked again about what is installed'
  throw new PmlError('invalid_config', `Cannot read ${path}: expected what pml wrote, version 1; ${fix}`)
}
