import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ConfigProblem } from '@pml/core/local-servers'
import { projectFolderOf, type ProjectContext } from '../../workspace/workspace-files.ts'
import { discoverServers } from './discover-servers.ts'
import { fileNotFound } from './server-errors.ts'
import { namedPlace, serverPlacesOf, type ServerPlace } from '../../workspace/server-places.ts'

interface Validation {
  readonly ok: boolean
  /** The searched folders and files, existing or not. */
  readonly places: readonly string[]
  /** The files found. */
  readonly files: readonly string[]
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly string[]
}

/** All problems in these files and folders; by default in all places that servers are read from. */
export async function validateServers(
  context: ProjectContext,
  paths: readonly string[],
): Promise<Validation> {
  const { cwd } = context.ops
  const wanted = paths.length > 0 ? await namedPlaces(paths.map((path) => resolve(cwd, path))) : undefined
  const found = await discoverServers(wanted ?? serverPlacesOf(context.ops, await projectFolderOf(context)))
  const { places, files, problems, warnings } = found
  return { ok: problems.length === 0, places, files, problems, warnings }
}

async function namedPlaces(paths: readonly string[]): Promise<ServerPlace[]> {
  for (const path of paths) await requirePath(path)
  return paths.map(namedPlace)
}

async function requirePath(path: string): Promise<void> {
  await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') return
    throw fileNotFound(path)
  })
}
