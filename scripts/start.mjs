// npm start: runs the server in this process.
import { bootstrap, root } from './bootstrap.mjs'

const PARENT_LOOK_MS = 200

process.chdir(root)
bootstrap()
stopWithParent()
await import('../apps/server/dist/main.js')

/**
 * A signal to npm ends the shell between npm and this process, and may never arrive here. If it did arrive, the server is
 * already stopping, and a signal of ours would be a second one, which means "immediately".
 */
function stopWithParent() {
  const parent = process.ppid
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => (isStopping = true))
  const look = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(look)
    if (!isStopping) process.kill(process.pid, 'SIGTERM')
  }, PARENT_LOOK_MS)
  look.unref()
}
