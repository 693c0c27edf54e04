import { basename } from 'node:path'
import { newWorkspaceConfig, parseWorkspaceConfig } from '@pml/core'
import { readPlainFile } from '../files/read-plain-file.ts'
import { writeAtomically } from '../files/write-atomically.ts'
import { holdLock } from '../lock/hold-lock.ts'
import { requireFolder, type WorkspaceFiles } from './workspace-files.ts'

const LIMIT_BYTES = 1024 * 1024

/** Rewrites `.pml.json`, or begins it, while no other process does. What cannot be read is never overwritten. */
export async function changeConfig(
  { root, state, config, lock }: WorkspaceFiles,
  change: (text: string) => string,
): Promise<void> {
  await requireFolder(state)
  await holdLock(lock, async (requireHeld) => {
    const file = await readPlainFile(config, LIMIT_BYTES)
    const text = file?.bytes.toString('utf8') ?? newWorkspaceConfig(basename(root), undefined)
    parseWorkspaceConfig(text, config)
    const changed = change(text)
    parseWorkspaceConfig(changed, config)
    if (changed !== file?.bytes.toString('utf8'))
      await writeAtomically(config, changed, { mode: file?.mode ?? 0o644, requireHeld })
  })
}
