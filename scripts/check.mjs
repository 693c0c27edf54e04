// npm run check: format, lint, types. npm run format fixes the first two.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { install, root } from './bootstrap.mjs'

install()
const fix = process.argv.includes('--fix')
const bin = (name) => join(root, 'node_modules', '.bin', name)
const steps = [
  [bin('oxfmt'), fix ? [] : ['--check']],
  [bin('oxlint'), ['--deny-warnings', ...(fix ? ['--fix'] : [])]],
  [bin('tsc'), ['-b']],
  [bin('tsc'), ['-p', 'tsconfig.check.json']],
]
for (const [command, args] of fix ? steps.slice(0, 2) : steps) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}
