import { realpathSync } from 'node:fs'

/** Where a path leads; the path itself where there is nothing. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
