// npm start: the server runs in this very process.
import { bootstrap, root } from './bootstrap.mjs'

const PARENT_LOOK_MS = 200

process.chdir(root)
bootstrap()
stopWithParent()
await import('../apps/server/dist/main.js')

/** A signal sent to npm ends the shell between npm and this process, and may never arrive here. */
function stopWithParent() {
  const parent = process.ppid
  const look = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(look)
    process.kill(process.pid, 'SIGTERM')
  }, PARENT_LOOK_MS)
  look.unref()
}
