import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Marked {
  readonly file: string
  /** Another one after every change of the file. */
  readonly stamp: string
}

/**
 * Remembers that a policy was found good, so that it is looked through once and not before every call. Who can write here
 * could as well change this program: the cache is guarded with it.
 */
export function goodMark(cache: string, { file, stamp }: Marked): { isKnown(): boolean; remember(): void } {
  const folder = join(cache, 'hooks', 'checked')
  const mark = join(folder, file.replaceAll(/\W/g, '_').slice(-150))
  const text = `${file}\n${stamp}\n`
  return {
    isKnown: () => {
      try {
        return readFileSync(mark, 'utf8') === text
      } catch {
        return false
      }
    },
    remember: () => {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(mark, text, { mode: 0o600 })
      } catch {
        // The next call looks again.
      }
    },
  }
}
