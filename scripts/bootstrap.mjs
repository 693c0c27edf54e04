// Every npm script runs this first: it installs and builds what is missing or outdated.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const OLDEST_NODE = [20, 19]

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { packageManager: pnpm } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const buildScripts = ['build.mjs', 'bundle-reference.mjs', 'bundle-pml.mjs', 'write-commands.mjs'].map(
  (name) => join(root, 'scripts', name),
)

/** Bundles contain code of packages. */
const lockfile = join(root, 'pnpm-lock.yaml')

/** Installs dependencies and builds the workspace if necessary. */
export function bootstrap({ rebuild = false } = {}) {
  requireNode()
  install()
  build({ rebuild })
}

export function install() {
  step({
    stamp: join(root, 'node_modules', '.pml-installed'),
    print: fingerprintOf(
      ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.pnpmfile.cjs', ...patches(), ...manifests()].map((path) =>
        readFileSync(join(root, path)),
      ),
    ),
    what: 'Installing dependencies',
    command: ['npx', ['--yes', pnpm, 'install', '--frozen-lockfile', '--reporter=silent']],
  })
}

function build({ rebuild }) {
  const isBuilt = (...path) => existsSync(join(root, ...path))
  step({
    stamp: join(root, 'node_modules', '.pml-built'),
    print: fingerprintOf([...sources(), ...[...buildScripts, lockfile].map((path) => readFileSync(path))]),
    again:
      rebuild ||
      !isBuilt('apps', 'server', 'dist', 'main.js') ||
      !isBuilt('packages', 'pml', 'bundle', 'commands', 'index.json'),
    what: 'Building',
    command: [process.execPath, [buildScripts[0]]],
  })
}

function step({ stamp, print, what, command, again = false }) {
  if (!again && existsSync(stamp) && readFileSync(stamp, 'utf8') === print) return
  process.stderr.write(`${what} …\n`)
  const { status, error } = spawnSync(command[0], command[1], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (error || status !== 0) {
    process.stderr.write(
      `${what} failed: ${error?.message ?? `${command[0]} ${command[1].join(' ')} exited with ${status}`}\n`,
    )
    process.exit(1)
  }
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, print)
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return
  process.stderr.write(
    `Cannot run on Node ${process.versions.node}: expected ${OLDEST_NODE.join('.')} or newer\n`,
  )
  process.exit(1)
}

function patches() {
  return readdirSync(join(root, 'patches')).map((file) => join('patches', file))
}

function manifests() {
  const packages = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name, 'package.json')),
  )
  return ['package.json', ...packages.filter((path) => existsSync(join(root, path)))]
}

/** Path, size and time of every source file: cheap to check, and every edit changes them. */
function sources() {
  const files = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => filesBelow(join(root, folder, name, 'src'))),
  )
  return files.map((path) => {
    const { size, mtimeMs } = statSync(path)
    return `${path} ${size} ${mtimeMs}\n`
  })
}

function filesBelow(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

function fingerprintOf(parts) {
  const hash = createHash('sha256').update(process.version)
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  bootstrap({ rebuild: process.argv.includes('--rebuild') })
