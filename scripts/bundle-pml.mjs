// Makes one folder that is all of `pml`: the command and the library with everything they import, in a few files. One file
// starts faster than a hundred, and what is installed with `pml` is then only `pml`, so nothing of it changes silently.
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const pml = join(root, 'packages', 'pml')
const folder = join(pml, 'bundle')

await rm(folder, { recursive: true, force: true })
const { metafile } = await build({
  entryPoints: [join(pml, 'src', 'main.ts'), join(pml, 'src', 'index.ts')],
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // The CommonJS form of jsonc-parser cannot be bundled.
  mainFields: ['module', 'main'],
  conditions: ['pml-source'],
  minifySyntax: true,
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  absWorkingDir: root,
  // What was written for CommonJS asks for Node's own modules by `require`.
  banner: {
    js: "import{createRequire as __require_}from'node:module';const require=__require_(import.meta.url);",
  },
  plugins: [{ name: 'one-language', setup: speakEnglishOnly }],
})
await copyFile(join(pml, 'src', 'calling', 'deno', 'deno-main.js'), join(folder, 'deno-main.js'))
await writeFile(join(folder, 'THIRD-PARTY.txt'), await licences(Object.keys(metafile.inputs)))

/** zod brings its messages in fifty languages; only one is ever used here. */
function speakEnglishOnly({ onLoad }) {
  onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({
    contents: "export { default as en } from './en.js'",
    loader: 'js',
  }))
}

/** The licence of every package that came in. */
async function licences(inputs) {
  const folders = new Set(inputs.flatMap((file) => packageFolder(file) ?? []))
  const texts = await Promise.all([...folders].sort().map(licenceOf))
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

function packageFolder(file) {
  const parts = file.split('/')
  const at = parts.lastIndexOf('node_modules')
  if (at < 0) return undefined
  return parts.slice(0, at + (parts[at + 1].startsWith('@') ? 3 : 2)).join('/')
}

async function licenceOf(packagePath) {
  const path = join(root, packagePath)
  const { name, version, license } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'))
  for (const file of ['LICENSE', 'LICENSE.md', 'license', 'LICENCE', 'LICENSE.txt']) {
    const text = await readFile(join(path, file), 'utf8').catch(() => undefined)
    if (text !== undefined) return `${name} ${version}\n\n${text}`
  }
  return `${name} ${version}\n\nLicence: ${license}\n`
}
