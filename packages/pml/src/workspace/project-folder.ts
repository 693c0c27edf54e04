import { realpath } from 'node:fs/promises'
import { fileError } from '../machine/files/file-error.ts'
import type { Ops } from '../machine/ops.ts'
import { findWorkspace } from './find-workspace.ts'

export interface ProjectContext {
  readonly ops: Ops
  /** The workspace that was asked for, if any. */
  readonly workspace: string | undefined
}

/** The folder of the project, with links resolved. */
export async function projectFolderOf({ ops, workspace }: ProjectContext): Promise<string> {
  const folder = workspace ?? (ops.env['PML_WORKSPACE'] || (await findWorkspace(ops.cwd)))
  return realpath(folder).catch((error: unknown) => {
    throw fileError('use', folder, error)
  })
}
