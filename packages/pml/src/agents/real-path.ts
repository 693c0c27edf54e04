import { realpathSync } from 'node:fs'

/** The path with links resolved; the path itself if it does not exist. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
