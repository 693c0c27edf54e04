// Builds the page at /docs: Scalar's browser bundle and a few lines that start it. File names contain a hash of the content, so
// browsers may cache them for ever; each has a gzip copy.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const server = join(dirname(dirname(fileURLToPath(import.meta.url))), 'apps', 'server')
const [from, to] = ['src', 'dist'].map((folder) => join(server, folder, 'docs', 'reference'))
// Its "exports" contain only code for Vue; "browser" names the bundle.
const scalar = join(server, 'node_modules', '@scalar', 'api-reference')
const { browser } = JSON.parse(readFileSync(join(scalar, 'package.json'), 'utf8'))

const files = {
  'scalar.js': join(scalar, browser),
  'reference.js': join(from, 'reference.js'),
  'reference.css': join(from, 'reference.css'),
}

rmSync(to, { recursive: true, force: true })
mkdirSync(to, { recursive: true })
let page = readFileSync(join(from, 'index.html'), 'utf8')
for (const [name, path] of Object.entries(files))
  page = page.replace(`/docs/${name}`, `/docs/${keep(name, path)}`)
writeFileSync(join(to, 'index.html'), page)

function keep(name, path) {
  const bytes = readFileSync(path)
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  const type = extname(name)
  const kept = `${name.slice(0, -type.length)}-${hash}${type}`
  writeFileSync(join(to, kept), bytes)
  writeFileSync(join(to, `${kept}.gz`), gzipSync(bytes, { level: 9 }))
  return kept
}
