import { sha256 } from './sha256.ts'

const LONGEST_NAME = 200

/** The name of a file about a path: the path, as far as names of files may be that long, else its hash. */
export function fileNameOf(path: string): string {
  const plain = encodeURIComponent(path)
  return plain.length <= LONGEST_NAME ? plain : sha256(path)
}
