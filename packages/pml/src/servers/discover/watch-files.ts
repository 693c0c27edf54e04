import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { watch } from 'chokidar'

/** Editors write in several steps; events within this time are one change. */
const DEBOUNCE_MS = 100

/** The system reports most changes at once, but may lose a folder that was recreated or a dangling link. */
export const LOOK_EVERY_MS = 5000

interface Watching {
  readonly lookEveryMs: number
  onChange(): void
}

/** Calls `onChange` after files at these paths or in these folders were added, changed or removed. */
export async function watchFiles(
  places: readonly string[],
  { lookEveryMs, onChange }: Watching,
): Promise<() => Promise<void>> {
  let timer: NodeJS.Timeout | undefined
  const tell = () => {
    clearTimeout(timer)
    timer = setTimeout(onChange, DEBOUNCE_MS)
  }
  let seen = await lookAt(places)
  const look = async () => {
    const now = await lookAt(places)
    if (now !== seen && !isOver) tell()
    seen = now
  }
  let isOver = false
  const looking = setInterval(() => void look(), lookEveryMs).unref()
  const watcher = watch([...places], { ignoreInitial: true, depth: 0 })
  watcher.on('all', tell)
  // A path that cannot be watched is still polled.
  watcher.on('error', () => undefined)
  await new Promise<void>((done) => watcher.once('ready', () => done()))
  return async () => {
    isOver = true
    clearInterval(looking)
    clearTimeout(timer)
    await watcher.close()
  }
}

/** A fingerprint of inode, mode, size and mtime of all files. */
async function lookAt(places: readonly string[]): Promise<string> {
  const found = await Promise.all(
    places.map(async (place) => {
      const names = await readdir(place).catch(() => [])
      return Promise.all([place, ...names.map((name) => join(place, name))].map(standingOf))
    }),
  )
  return found.flat().join('\n')
}

async function standingOf(path: string): Promise<string> {
  const infos = await Promise.all([lstat, stat].map((read) => read(path).catch(() => undefined)))
  const parts = infos.flatMap((info) => [info?.ino, info?.mode, info?.size, info?.mtimeMs])
  return [path, ...parts].join(' ')
}
