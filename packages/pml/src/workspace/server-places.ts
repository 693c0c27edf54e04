import { join, resolve } from 'node:path'
import { configHomeOf, type Ops } from '../machine/ops.ts'

/** Whose file it is: the project's `.pml/mcp`, its `.mcp.json`, the user's own folder, or one that PML_MCP_PATH names. */
export type ServerScope = 'project' | 'workspace' | 'user' | 'path'

/** A folder or a file that may describe servers. */
export interface ServerPlace {
  readonly path: string
  readonly scope: ServerScope
  /** `either` is one that somebody named: it must be there. */
  readonly kind: 'folder' | 'file' | 'either'
  /** What links may not lead out of. */
  readonly base: string | undefined
}

/** In order of precedence: the project's, the user's, and those of PML_MCP_PATH. */
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

/** What PML_MCP_PATH says. */
export function namedPathsOf({ env, cwd, platform }: Pick<Ops, 'env' | 'cwd' | 'platform'>): string[] {
  const paths = (env['PML_MCP_PATH'] ?? '').split(platform === 'win32' ? ';' : ':')
  return paths.filter((path) => path.trim() !== '').map((path) => resolve(cwd, path))
}

export function namedPlace(path: string): ServerPlace {
  return { path, scope: 'path', kind: 'either', base: undefined }
}
