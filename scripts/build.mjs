// Compiles, then copies the other files beside the output. Run by bootstrap.mjs after changes.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

run(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ['-b'])
bundleTools(join(root, 'apps', 'server', 'src', 'tools'), join(root, 'apps', 'server', 'dist', 'tools'))
run(join(root, 'scripts', 'bundle-reference.mjs'), [])
run(join(root, 'scripts', 'bundle-pml.mjs'), [])
run(join(root, 'scripts', 'write-commands.mjs'), [])

function run(program, args) {
  const { status } = spawnSync(process.execPath, [program, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}

/** Every file in the folder is a tool: descriptions are copied, and files without a source are removed. */
function bundleTools(from, to) {
  mkdirSync(to, { recursive: true })
  for (const file of readdirSync(to)) {
    const source = file.replace(/\.(?:js|d\.ts)$/, '.ts')
    if (!existsSync(join(from, source))) rmSync(join(to, file))
  }
  for (const file of readdirSync(from).filter((file) => file.endsWith('.md')))
    copyFileSync(join(from, file), join(to, file))
}
