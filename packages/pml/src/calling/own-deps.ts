import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { isLocal } from '@pml/core'
import { stateHomeOf, type Ops } from '../ops.ts'
import type { WorkspaceFiles } from '../workspace/workspace-files.ts'
import { openDepsFile, type DepsFile } from './deps-file.ts'

/**
 * What a person has agreed to. For servers that files of the workspace describe it stands with the person: whoever wrote the
 * repository could have put a yes beside the command.
 */
export function openDeps(
  files: Pick<WorkspaceFiles, 'root' | 'deps' | 'state'>,
  { env, platform }: Pick<Ops, 'env' | 'platform'>,
): DepsFile {
  const state = join(stateHomeOf(env, platform), 'consent')
  const workspace = createHash('sha256').update(files.root).digest('hex')
  const own = openDepsFile({ state, deps: join(state, `${workspace}.json`) })
  const shared = openDepsFile(files)
  const of = (name: Parameters<DepsFile['find']>[0]) => (isLocal(name) ? own : shared)
  return {
    find: (name) => of(name).find(name),
    put: (name, dependency) => of(name).put(name, dependency),
    remove: (name) => of(name).remove(name),
    list: async () => {
      const others = [...(await shared.list())].filter(([name]) => !isLocal(name))
      return new Map([...others, ...(await own.list())])
    },
  }
}
