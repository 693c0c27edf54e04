import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { noTrustParts, PmlError, type TrustParts } from '@pml/core'
import { findStampNow, readPlainFile, type Stamp } from '../machine/files/read-plain-file.ts'
import { stateHomeOf, type Ops } from '../machine/ops.ts'
import { requireFolder, type WorkspaceFiles } from './workspace-files.ts'

/** What the person has agreed to in a workspace's `.pml.json`. */
export interface WorkspaceTrust {
  readonly file: string
  /** PML_TRUST_WORKSPACE: the operator of this machine trusts every workspace. */
  readonly isGivenByOperator: boolean
  /** The coding agent that set PML_TRUST_WORKSPACE; then the variable does not count. */
  readonly isClaimedBy: string | undefined
  read(): Promise<{ readonly agreed: TrustParts; readonly stamp: Stamp }>
  /** The stamp of the current file, without reading it. */
  findStamp(): Stamp
  /** Changes the agreement under its lock. Returns the new agreement. */
  change(make: (agreed: TrustParts) => TrustParts): Promise<TrustParts>
}

interface Kept extends TrustParts {
  readonly version: 1
  readonly workspace: string
}

const LIMIT_BYTES = 4 * 1024 * 1024

/** Stored in the person's state folder under the real path of the workspace, so that no repository can bring one. */
export function openWorkspaceTrust(
  { root }: Pick<WorkspaceFiles, 'root'>,
  {
    env,
    platform,
    isGivenByOperator,
    isClaimedBy,
  }: Pick<Ops, 'env' | 'platform'> & Pick<WorkspaceTrust, 'isGivenByOperator' | 'isClaimedBy'>,
): WorkspaceTrust {
  const name = createHash('sha256').update(root).digest('hex')
  const file = join(stateHomeOf(env, platform), 'trust', `${name}.json`)

  async function read() {
    const found = await readPlainFile(file, LIMIT_BYTES)
    if (!found) return { agreed: noTrustParts, stamp: '' }
    return { agreed: parseTrust(found.bytes.toString('utf8'), { file, root }), stamp: found.stamp }
  }

  async function change(make: (agreed: TrustParts) => TrustParts): Promise<TrustParts> {
    // Loaded on the first write: most processes only read.
    const [{ holdLock }, { writeAtomically }] = await Promise.all([
      import('../machine/hold-lock.ts'),
      import('../machine/files/write-atomically.ts'),
    ])
    await requireFolder(dirname(file), 0o700)
    return holdLock(file, async (requireHeld) => {
      const { agreed } = await read()
      const made = make(agreed)
      const text = printTrust(root, made)
      if (text !== printTrust(root, agreed)) await writeAtomically(file, text, { mode: 0o600, requireHeld })
      return made
    })
  }

  return { file, isGivenByOperator, isClaimedBy, read, findStamp: () => findStampNow(file), change }
}

function printTrust(workspace: string, { gives, denies }: TrustParts): string {
  const kept: Kept = { version: 1, workspace, gives: gives.toSorted(), denies: denies.toSorted() }
  return `${JSON.stringify(kept, null, 2)}\n`
}

/** Throws for anything that pml did not write: an agreement that cannot be read is no agreement. */
function parseTrust(text: string, { file, root }: { file: string; root: string }): TrustParts {
  try {
    const { version, workspace, gives, denies } = JSON.parse(text) as Partial<Kept>
    if (version === 1 && workspace === root && isTexts(gives) && isTexts(denies)) return { gives, denies }
  } catch {
    // Reported below.
  }
  const fix = 'remove it, then run "pml trust" in the workspace'
  throw new PmlError('invalid_config', `Cannot read ${file}: expected what pml wrote, version 1; ${fix}`)
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
