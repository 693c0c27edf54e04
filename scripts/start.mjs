// npm start: one process from here on, so that a signal sent to it reaches the server.
import { bootstrap, root } from './bootstrap.mjs'

process.chdir(root)
bootstrap()
await import('../apps/server/dist/main.js')
