import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const MOST_FILES = 200

/**
 * Keeps what was not written, for its owner only, under a name that says what it is; the same content for the same file is
 * kept once. Undefined where it cannot be kept: that is no reason to let anything pass.
 */
export function saveContent(
  folder: string,
  { path, content }: { path: string; content: string },
): string | undefined {
  const digest = createHash('sha256').update(path).update('\0').update(content).digest('hex').slice(0, 12)
  const name = basename(path)
    .replaceAll(/[^\w.-]/g, '_')
    .slice(-80)
  const file = join(folder, `${digest}-${name}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const fresh = `${file}.${randomBytes(6).toString('hex')}.tmp`
    writeFileSync(fresh, content, { mode: 0o600, flag: 'wx' })
    renameSync(fresh, file)
    removeOldest(folder)
    return file
  } catch {
    return undefined
  }
}

function removeOldest(folder: string): void {
  const names = readdirSync(folder)
  if (names.length <= MOST_FILES) return
  const files = names.map((name) => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }))
  for (const { path } of files.sort((a, b) => a.at - b.at).slice(0, names.length - MOST_FILES))
    unlinkSync(path)
}
