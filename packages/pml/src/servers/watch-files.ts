import { watch } from 'chokidar'

/** Editors write in several steps; what comes within so long is one change. */
const DEBOUNCE_MS = 100

/** Calls `onChange` after files at these places or in these folders came, changed or went, whether they are there yet or not. */
export async function watchFiles(
  places: readonly string[],
  onChange: () => void,
): Promise<() => Promise<void>> {
  let timer: NodeJS.Timeout | undefined
  const watcher = watch([...places], { ignoreInitial: true, depth: 0 })
  watcher.on('all', () => {
    clearTimeout(timer)
    timer = setTimeout(onChange, DEBOUNCE_MS)
  })
  // A place that cannot be watched is still read whenever another one changes.
  watcher.on('error', () => undefined)
  await new Promise<void>((done) => watcher.once('ready', () => done()))
  return async () => {
    clearTimeout(timer)
    await watcher.close()
  }
}
