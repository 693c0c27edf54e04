#!/usr/bin/env node
// Commands are linked when packages are installed, which is before anything is built: so the link leads here.
await import(process.argv[2] === 'hook' ? '../bundle/hook/main.js' : '../bundle/main.js')
