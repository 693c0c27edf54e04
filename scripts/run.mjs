// Runs a TypeScript program of this repository against the workspace's sources.
import { spawn } from 'node:child_process'
import { bootstrap } from './bootstrap.mjs'

bootstrap()
const child = spawn(
  process.execPath,
  ['--conditions=pml-source', '--import', 'tsx', ...process.argv.slice(2)],
  {
    stdio: 'inherit',
  },
)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => process.exit(code ?? 1))
