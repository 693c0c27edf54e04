import { basename } from 'node:path'
import {
  agreeToAdded,
  newWorkspaceConfig,
  parseWorkspaceConfig,
  trustPartsOf,
  withoutRemoved,
  type OwnChange,
} from '@pml/core'
import { readPlainFile } from '../machine/files/read-plain-file.ts'
import { writeAtomically } from '../machine/files/write-atomically.ts'
import { holdLock } from '../machine/hold-lock.ts'
import { requireFolder, type WorkspaceFiles } from './workspace-files.ts'
import type { WorkspaceTrust } from './workspace-trust.ts'

const LIMIT_BYTES = 1024 * 1024

interface ConfigPlace {
  readonly files: WorkspaceFiles
  readonly trust: Pick<WorkspaceTrust, 'change'>
}

/**
 * Rewrites or creates `.pml.json` under its lock, and updates the person's agreement to it. A file that cannot be read is
 * never overwritten. Returns whether something changed.
 */
export async function changeConfig(
  { files: { root, state, config, lock }, trust }: ConfigPlace,
  change: (text: string) => string,
): Promise<boolean> {
  await requireFolder(state)
  return holdLock(lock, async (requireHeld) => {
    const file = await readPlainFile(config, LIMIT_BYTES)
    const written = file?.bytes.toString('utf8')
    const text = written ?? newWorkspaceConfig(basename(root), undefined)
    const from = trustPartsOf(parseWorkspaceConfig(text, config))
    const changed = change(text)
    const own: OwnChange = { from, to: trustPartsOf(parseWorkspaceConfig(changed, config)) }
    if (changed === written) return false
    await trust.change((agreed) => agreeToAdded(agreed, own))
    await writeAtomically(config, changed, { mode: file?.mode ?? 0o644, requireHeld, isGuard: true })
    await trust.change((agreed) => withoutRemoved(agreed, own))
    return true
  })
}
