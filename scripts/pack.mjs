// npm run pack: a tarball of `pml` that installs anywhere with "npm install -g". Its path is the last line printed.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { bootstrap, root } from './bootstrap.mjs'

const packages = join(root, 'packages')
const pml = join(packages, 'pml')

bootstrap()
const stage = await mkdtemp(join(tmpdir(), 'pml-pack-'))
try {
  for (const part of ['bin', 'bundle', 'README.md'])
    await cp(join(pml, part), join(stage, part), { recursive: true })
  await copyTypes(join(pml, 'dist', 'index.d.ts'))
  await writeFile(join(stage, 'package.json'), `${JSON.stringify(await manifest(), null, 2)}\n`)
  process.stdout.write(`${pack()}\n`)
} finally {
  await rm(stage, { recursive: true })
}

/** Everything is in the bundle, so the package has no dependencies. */
async function manifest() {
  const { name, version, description, license, bin, type, engines } = JSON.parse(
    await readFile(join(pml, 'package.json'), 'utf8'),
  )
  const exports = {
    '.': { types: './types/pml/index.d.ts', default: './bundle/index.js' },
    './package.json': './package.json',
  }
  return {
    name,
    version,
    description,
    license,
    type,
    bin,
    exports,
    files: ['bin', 'bundle', 'types'],
    engines,
  }
}

/** Copies the declarations that the library's own import, with relative paths instead of unpublished packages. */
async function copyTypes(first) {
  const seen = new Set()
  const open = [first]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    const text = await readFile(file, 'utf8')
    const target = placeOf(file)
    await mkdir(dirname(target), { recursive: true })
    const moved = text.replaceAll(/(from |import\()['"]([^'"]+)['"]/g, (whole, before, specifier) => {
      const found = fileOf(file, specifier)
      if (found === undefined) return whole
      open.push(found)
      const path = relative(dirname(target), placeOf(found)).replaceAll('\\', '/')
      return `${before}'${path.startsWith('.') ? path : `./${path}`}'`.replace(/\.d\.ts'$/, ".js'")
    })
    await writeFile(target, moved)
  }
}

function placeOf(file) {
  const [name, ...path] = relative(packages, file).split(sep)
  return join(stage, 'types', name, ...path.slice(1))
}

/** Resolves the declarations of an import, in its own or another package. */
function fileOf(from, specifier) {
  if (specifier.startsWith('.')) return join(dirname(from), specifier.replace(/\.[jt]s$/, '.d.ts'))
  const [, name, part] = /^@pml\/(\w+)(\/.+)?$/.exec(specifier) ?? []
  if (name === undefined) return undefined
  const folder = join(packages, name)
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, exports[`.${part ?? ''}`].types)
}

function pack() {
  const { status, stdout } = spawnSync('npm', ['pack', '--json', '--pack-destination', root], {
    cwd: stage,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
  const [{ filename }] = JSON.parse(stdout)
  return join(root, filename)
}
