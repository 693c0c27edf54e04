import { emptyWorkspaceConfig, parseWorkspaceConfig, type WorkspaceConfig } from '@pml/core'
import { findStampNow, readPlainFile, type Stamp } from '../files/read-plain-file.ts'

const LIMIT_BYTES = 1024 * 1024

export interface WorkspaceConfigFile {
  /** What `.pml.json` says now; no rules where there is none, an error where it cannot be understood. */
  read(): Promise<WorkspaceConfig>
}

/** Read again only when the file has changed. */
export function openWorkspaceConfig(path: string): WorkspaceConfigFile {
  let known: { stamp: Stamp; config: WorkspaceConfig } | undefined
  return {
    read: async () => {
      if (known && known.stamp === findStampNow(path)) return known.config
      const file = await readPlainFile(path, LIMIT_BYTES)
      const config = file ? parseWorkspaceConfig(file.bytes.toString('utf8'), path) : emptyWorkspaceConfig
      known = { stamp: file?.stamp ?? '', config }
      return config
    },
  }
}
