import { join, resolve } from 'node:path'
import { configHomeOf, type Ops } from '../machine/ops.ts'

/** The origin of a file: the project's `.pml/mcp`, its `.mcp.json`, the user's folder, or PML_MCP_PATH. */
export type ServerScope = 'project' | 'workspace' | 'user' | 'path'

/** A folder or a file that may describe servers. */
export interface ServerPlace {
  readonly path: string
  readonly scope: ServerScope
  /** `either` is a path that was named explicitly and must exist. */
  readonly kind: 'folder' | 'file' | 'either'
  /** The folder that links must not lead out of. */
  readonly base: string | undefined
}

/** The places in order of precedence: the project's, the user's, and those of PML_MCP_PATH. */
export function serverPlacesOf(
  { env, cwd, platform }: Pick<Ops, 'env' | 'cwd' | 'platform'>,
  root: string,
): ServerPlace[] {
  const home = configHomeOf(env, platform)
  return [
    { path: join(root, '.pml', 'mcp'), scope: 'project', kind: 'folder', base: root },
    { path: join(root, '.mcp.json'), scope: 'workspace', kind: 'file', base: root },
    { path: join(home, 'mcp'), scope: 'user', kind: 'folder', base: undefined },
    ...namedPathsOf({ env, cwd, platform }).map(namedPlace),
  ]
}

/** The paths in PML_MCP_PATH. */
export function namedPathsOf({ env, cwd, platform }: Pick<Ops, 'env' | 'cwd' | 'platform'>): string[] {
  const paths = (env['PML_MCP_PATH'] ?? '').split(platform === 'win32' ? ';' : ':')
  return paths.filter((path) => path.trim() !== '').map((path) => resolve(cwd, path))
}

export function namedPlace(path: string): ServerPlace {
  return { path, scope: 'path', kind: 'either', base: undefined }
}
