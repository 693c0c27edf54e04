#!/usr/bin/env node
// Commands are linked when packages are installed, which is before anything is built: so the link leads here. This file is
// CommonJS, as the hook is: an agent waits for it at every call.
if (process.argv[2] === 'hook') require('./load-hook.js').loadHook('main.cjs')
else import('../bundle/main.js')
