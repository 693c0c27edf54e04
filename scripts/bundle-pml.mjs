// Makes one folder with all of `pml`: the command and the library with all imports, in a few files. Few files start faster than
// a hundred, and installing `pml` then installs nothing else, so nothing in it can change silently.
import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const pml = join(root, 'packages', 'pml')
const folder = join(pml, 'bundle')

const options = {
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
  write: false,
  legalComments: 'none',
  logLevel: 'warning',
  absWorkingDir: root,
  // CommonJS code calls `require` for Node's own modules; it is created on first use.
  banner: {
    js: "let require_;const require=id=>(require_??=process.getBuiltinModule('module').createRequire(import.meta.url))(id);",
  },
  plugins: [{ name: 'one-language', setup: speakEnglishOnly }],
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await rm(folder, { recursive: true, force: true })
  const command = await bundleCommand({ source: join(pml, 'src'), folder })
  const hook = await bundleHook(join(folder, 'hook'))
  await copyFile(join(root, 'config', 'enforcement.json'), join(folder, 'hook', 'enforcement.json'))
  await copyFile(join(root, 'config', 'mcp-server.schema.json'), join(folder, 'mcp-server.schema.json'))
  execFileSync(process.execPath, [join(pml, 'bin', 'compile-hook.js')])
  await copyFile(join(pml, 'src', 'calls', 'deno', 'deno-main.js'), join(folder, 'deno-main.js'))
  await writeFile(join(folder, 'THIRD-PARTY.txt'), await licences([...command, ...hook]))
}

/** Bundles the command and the library from the sources of `pml`, and returns the included files. */
export function bundleCommand({ source, folder }) {
  const tools = join(root, 'packages', 'tools', 'src')
  return bundle({
    folder,
    entries: [join(source, 'main.ts'), join(source, 'index.ts')],
    joins: {
      'start.js': ['main.js', join(tools, 'cli', 'run-command.ts')],
      'lock.js': [
        join(source, 'cli', 'call-own.ts'),
        join(source, 'workspace', 'open-workspace.ts'),
        join(source, 'commands', 'lock', 'show.ts'),
      ],
      'work.js': [join(source, 'calls', 'open-client.ts')],
    },
    quick: ['main.js', 'start.js', 'lock.js'],
  })
}

/**
 * Bundles the hook separately, because it starts for every call of an agent and must load only what it needs. CommonJS starts
 * in half the time of ES modules; parts that few calls need are separate files.
 */
async function bundleHook(to) {
  const source = (...path) => join(root, 'packages', ...path)
  const entries = {
    main: source('pml', 'src', 'guard', 'main.ts'),
    'find-refusals': source('pml', 'src', 'guard', 'find-refusals.ts'),
    'watch-configuration': source('pml', 'src', 'guard', 'watch-configuration.ts'),
    shell: source('hooks', 'src', 'shell', 'index.ts'),
    'explain-problems': source('hooks', 'src', 'policy', 'explain-problems.ts'),
  }
  const { metafile } = await build({
    ...options,
    banner: {},
    outdir: to,
    entryPoints: entries,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    splitting: false,
    write: true,
    minify: true,
    define: { 'import.meta.dirname': '__dirname' },
    supported: { 'dynamic-import': false },
    plugins: [
      ...options.plugins,
      {
        name: 'later',
        setup: ({ onResolve }) => onResolve({ filter: /./ }, (path) => findLater(path, entries)),
      },
    ],
  })
  return Object.keys(metafile.inputs)
}

/** Dynamic imports become files with that name. */
function findLater({ kind, path }, entries) {
  if (kind !== 'dynamic-import' || path.startsWith('node:')) return undefined
  const name = basename(path).replace(/\.ts$/, '')
  return name in entries ? { path: `./${name}.cjs`, external: true } : undefined
}

/** Writes the files of a program and returns their sources. */
async function bundle({ folder: to, entries, joins, quick }) {
  const plugins = [...options.plugins, { name: 'commands', setup: listCommands }]
  const made = await build({ ...options, plugins, outdir: to, entryPoints: entries })
  /** The bundler's output: names and texts. */
  const files = new Map(made.outputFiles.map(({ path, text }) => [basename(path), text]))
  const outputs = Object.entries(made.metafile.outputs).map(([path, output]) => ({
    ...output,
    file: basename(path),
    source: output.entryPoint && join(root, output.entryPoint),
  }))
  const exportsOf = (name) => outputs.find(({ file }) => file === name).exports
  const joined = new Set()
  for (const [name, sources] of Object.entries(joins)) {
    const first = sources.flatMap((source) => fileOf(source, { outputs, files }))
    await joinFiles(files, { name, first, joined, exportsOf })
    joined.add(name)
  }
  for (const name of quick) files.set(name, askNodeItself(files.get(name)))
  await mkdir(to)
  for (const [name, text] of files) await writeFile(join(to, name), text)
  return Object.keys(made.metafile.inputs)
}

/**
 * Merges these files and all that they always import into one. The bundler splits as finely as possible, but every file takes
 * time to load, and these are always loaded together. Other files are changed to import the merged one.
 */
async function joinFiles(files, { name: target, first, joined, exportsOf }) {
  const parts = new Set(first)
  for (const part of parts) for (const file of importsOf(files, part)) if (!joined.has(file)) parts.add(file)
  const passOn = (file) => [
    `export * from './${file}'`,
    ...(exportsOf(file).includes('default') ? [`export { default } from './${file}'`] : []),
  ]
  const { outputFiles: outputs, metafile: made } = await build({
    stdin: { contents: [...parts].flatMap(passOn).join('\n') },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    plugins: [{ name: 'parts', setup: (builder) => loadParts(builder, { files, parts }) }],
  })
  const [{ exports }] = Object.values(made.outputs)
  const lost = [...parts].flatMap(exportsOf).filter((name) => !exports.includes(name))
  if (lost.length > 0) throw new Error(`Cannot join ${target}: two parts export ${lost.join(', ')}`)
  for (const part of parts) files.delete(part)
  for (const [name, text] of files)
    files.set(
      name,
      text.replaceAll(/"\.\/([\w-]+\.js)"/g, (whole, file) => (parts.has(file) ? `"./${target}"` : whole)),
    )
  files.set(target, outputs[0].text)
}

/**
 * An ES import of a Node module evaluates all of its exports, including lazy ones such as the streams of fs. This form gets
 * only the used ones. Crypto is loaded on first use.
 */
function askNodeItself(text) {
  return text.replaceAll(/^import \{([^}]*)\} from "(node:[\w/]+)";$/gm, (_whole, list, module) => {
    const own = `process.getBuiltinModule("${module}")`
    const pairs = list.split(',').map((one) => one.trim().split(' as '))
    if (module !== 'node:crypto')
      return `const {${pairs.map(([name, alias = name]) => `${name}: ${alias}`).join(', ')}} = ${own};`
    return pairs
      .map(([name, alias = name]) => `const ${alias} = (...args) => ${own}.${name}(...args);`)
      .join(' ')
  })
}

/** Finds the output of a dynamically imported source. For an entry, its static imports. */
function fileOf(name, { outputs, files }) {
  if (files.has(name)) return importsOf(files, name)
  const output = outputs.find(({ source }) => source === name)
  if (!output) throw new Error(`Cannot join ${name}: it is not imported when it is needed`)
  return [output.file]
}

/**
 * A bundle cannot list a folder, so it contains a list of all commands. In a folder of commands, everything but tests is a
 * command.
 */
function listCommands({ onLoad }) {
  onLoad({ filter: /[/\\]commands[/\\]load-command\.ts$/ }, async ({ path }) => {
    const list = (await placesIn(dirname(path))).map((place) => `'${place}': () => import('./${place}.ts')`)
    return {
      contents: `const commands = {${list.join(',\n')}}
        export const loadCommand = async (place) => (await commands[place]()).default`,
      resolveDir: dirname(path),
    }
  })
}

/** Maps commands to files: `lock/show` for `lock/show.ts`. */
export async function placesIn(commandsFolder) {
  const nouns = (await readdir(commandsFolder, { withFileTypes: true })).filter((one) => one.isDirectory())
  const places = nouns.map(async ({ name: noun }) =>
    (await readdir(join(commandsFolder, noun)))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => `${noun}/${basename(file, '.ts')}`),
  )
  return (await Promise.all(places)).flat().sort()
}

/** A file and all its static imports. */
function importsOf(files, file) {
  const found = files.get(file).matchAll(/^(?:import|\} from) "\.\/([\w-]+\.js)";$/gm)
  return [...found].map(([, name]) => name)
}

function loadParts({ onResolve, onLoad }, { files, parts }) {
  onResolve({ filter: /^\.\// }, ({ path }) =>
    parts.has(path.slice(2)) ? { path: path.slice(2), namespace: 'part' } : { path, external: true },
  )
  onLoad({ filter: /./, namespace: 'part' }, ({ path }) => ({ contents: files.get(path) }))
}

/** zod contains messages in fifty languages, of which only one is used. */
function speakEnglishOnly({ onLoad }) {
  onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({
    contents: "export { default as en } from './en.js'",
    loader: 'js',
  }))
}

/** Collects the licences of all bundled packages. */
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
