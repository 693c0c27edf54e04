// Installs with an npm that hangs, until it is killed.
import { installTree } from '../src/npm/install-tree.ts'
import { lockedTree, smallBin, smallLock } from './small-tree.ts'
import type { JsonObject } from '@pml/core'

const [folder = '', roughNpm = ''] = process.argv.slice(2)
const tree = lockedTree((await smallLock()) as unknown as JsonObject, smallBin)
await installTree({ folder }, tree, {
  npm: { command: process.execPath, args: [roughNpm, 'hangs'], env: {} },
  signal: new AbortController().signal,
  timeoutMs: 600_000,
  kill: (pid, signal) => process.kill(pid, signal),
  tell: () => {},
})
