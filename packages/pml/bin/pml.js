#!/usr/bin/env node
// Commands are linked when packages are installed, which is before anything is built: so the link leads here.
import '../bundle/main.js'
