import { renameSync, writeFileSync } from 'node:fs'
import { pid } from 'node:process'

let drafts = 0

/**
 * Readers find the old file or the new one. Synchronous, for small files that can be made again, in a folder where nobody
 * else writes.
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const draft = `${path}.${pid}-${++drafts}.tmp`
  writeFileSync(draft, content, { mode: 0o600 })
  renameSync(draft, path)
}
