import { renameSync, writeFileSync } from 'node:fs'
import { pid } from 'node:process'

let drafts = 0

/**
 * Replaces a file in one step: readers find the old content or the new. Synchronous, for small files that can be made
 * again, in a folder that only pml writes to.
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const draft = `${path}.${pid}-${++drafts}.tmp`
  writeFileSync(draft, content, { mode: 0o600 })
  renameSync(draft, path)
}
