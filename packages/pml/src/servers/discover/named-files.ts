import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { PmlError } from '@pml/core'
import { isInside } from '../../machine/files/find-links.ts'
import { readRegular } from '../../machine/files/read-plain-file.ts'

export interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Variables that decide what programs load. */
  readonly variables: Readonly<Record<string, string>>
}

const MOST_FILES = 500
const MANIFEST_BYTES = 1024 * 1024

/** Files that are programs, whatever runs them. */
const code =
  /\.(?:[cm]?[jt]sx?|py[wz]?|rb|pl|php|lua|(?:ba|z|k|fi)?sh|ps1|bat|cmd|go|rs|jar|wasm|exe|jl|r|exs?|kts?|groovy|nu|awk|tcl|swift|dart|fsx)$/i
/** Programs whose first argument is a package or a script and not a file. */
const runners = new Set([
  'npx',
  'bunx',
  'pnpx',
  'uvx',
  'pipx',
  'docker',
  'podman',
  'npm',
  'pnpm',
  'yarn',
  'bun',
])
/** Those of them that read the manifest of the folder. */
const scriptRunners = new Set(['npm', 'pnpm', 'yarn', 'bun'])
const subcommands = new Set(['run', 'exec', 'x', 'dlx', 'tool', 'start'])
const folderOption = /^(?:--prefix|--dir|--directory|--cwd|--project|-C)(?:=(.*))?$/s
const interpreters =
  /^(?:node(?:js)?|deno|bun|tsx|ts-node|(?:python|pypy)[\d.]*|ruby|perl|php|lua|(?:ba|z|k|da|fi)?sh|pwsh|powershell|java|go|Rscript|julia|elixir)$/
/** Options of Node that load a file or read variables from one. */
const loadOption = /^(?:-r|--require|--import|--loader|--experimental-loader|--env-file(?:-if-exists)?)$/
/** Extensions that Node adds to a path. */
const unwrittenEnds = ['.js', '.cjs', '.mjs', '.json', '.node', '.ts']
/** Files that these programs read from the folder. */
const implicitFiles: Readonly<Record<string, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  deno: ['deno.json', 'deno.jsonc'],
  docker: ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'],
  podman: ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'],
  cargo: ['Cargo.toml', 'build.rs', 'src/main.rs'],
  uv: ['pyproject.toml'],
  poetry: ['pyproject.toml'],
}
const python = /^(?:python|pypy)[\d.]*$/

/**
 * The project files that a command line runs: its program, scripts, modules and the entry points of folders, as far as it
 * names them. Files that those load are not followed.
 */
export async function findNamedFiles(line: CommandLine, root: string): Promise<string[]> {
  const search = new Search(root, line.cwd)
  await search.look(line)
  return [...search.found].sort()
}

class Search {
  readonly found = new Set<string>()
  readonly #root: string
  readonly #cwd: string

  constructor(root: string, cwd: string) {
    this.#root = root
    this.#cwd = cwd
  }

  async look({ command, args, variables }: CommandLine): Promise<void> {
    const program = basename(command).replace(/\.(?:exe|cmd|bat)$/i, '')
    for (const [name, value] of Object.entries(variables)) await this.#addVariable(name, { value, command })
    for (const file of implicitFiles[program] ?? []) await this.#add(file, 'script')
    if (/[/\\]/.test(command)) await this.#add(command, 'script')
    if (scriptRunners.has(program)) await this.#addNearestManifest()
    const isRunner = runners.has(program)
    let isFirst = true
    for (const [at, word] of args.entries()) {
      const next = args[at + 1] ?? ''
      if (word.startsWith('-')) await this.#addOption(word, { next, isPython: python.test(program) })
      else if (/[\s'"`;]/.test(word)) await this.#addPieces(word, this.#cwd)
      else if (isFirst && isRunner) {
        if (subcommands.has(word)) continue
        isFirst = false
        await this.#add(word, 'script')
        if (!/[/\\]/.test(word)) await this.#addInstalled(word)
      } else {
        // Either the value of the option before it, or the script after an option without a value.
        const isAfterOption = args[at - 1]?.startsWith('-') === true
        const mayBeScript = isFirst && (!isAfterOption || interpreters.test(program))
        const isNamed = await this.#add(word, mayBeScript ? 'script' : 'argument')
        if (isNamed && !isAfterOption) isFirst = false
      }
    }
  }

  async #addOption(word: string, { next, isPython }: { next: string; isPython: boolean }): Promise<void> {
    const folder = folderOption.exec(word)
    if (folder) await this.#add(folder[1] ?? next, 'script')
    else if (word.includes('=')) {
      const [option = '', ...value] = word.split('=')
      await this.#add(value.join('='), loadOption.test(option) ? 'script' : 'argument')
    } else if (loadOption.test(word)) await this.#add(next, 'script')
    if (!isPython || !word.startsWith('-m')) return
    const path = (word.slice(2) || next).replaceAll('.', '/')
    for (const file of [`${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`])
      await this.#add(file, 'script')
  }

  /** `NODE_OPTIONS=--require=./x.js`, `LD_PRELOAD=./a.so:./b.so`, and a program in a folder of PATH. */
  async #addVariable(
    name: string,
    { value, command }: { readonly value: string; readonly command: string },
  ): Promise<void> {
    const isPath = name.toUpperCase() === 'PATH'
    for (const piece of value.split(isPath ? delimiter : /[\s'":;=]+/).filter(Boolean))
      await this.#add(isPath ? join(piece, command) : piece, 'script')
  }

  /** A shell command or code in an argument. */
  async #addPieces(text: string, folder: string): Promise<void> {
    for (const piece of text.split(/[\s'"`;&|()<>,=]+/).filter(Boolean))
      await this.#add(piece, 'argument', folder)
  }

  /** Returns whether the word names something of the project. An argument may be a data file, which is not added. */
  async #add(word: string, role: 'script' | 'argument', folder = this.#cwd): Promise<boolean> {
    const path = await findWritten(resolve(folder, word), role)
    const info = await stat(path).catch(() => undefined)
    if (!info || !(await this.#isOfProject(path))) return false
    if (info.isDirectory()) {
      if (role === 'script') await this.#addFolder(path)
      return role === 'script'
    }
    if (!info.isFile()) return false
    if (role === 'script' || code.test(path) || (info.mode & 0o111) !== 0) this.#keep(path)
    return true
  }

  #keep(path: string): void {
    this.found.add(path)
    if (this.found.size > MOST_FILES)
      throw new PmlError('too_large', `Cannot check a command line that names more than ${MOST_FILES} files`)
  }

  async #isOfProject(path: string): Promise<boolean> {
    return isInside(path, this.#root) || isInside(await realpath(path), this.#root)
  }

  /** Adds the files that programs start in a folder. */
  async #addFolder(folder: string): Promise<void> {
    for (const name of ['package.json', 'pyproject.toml', '__main__.py', 'index.js']) {
      const path = join(folder, name)
      if (!this.found.has(path) && (await isFile(path))) {
        this.#keep(path)
        if (name === 'package.json') await this.#addEntries(folder)
      }
    }
    for (const name of await readdir(folder).catch(() => []))
      if (name.endsWith('.go')) this.#keep(join(folder, name))
  }

  async #addEntries(folder: string): Promise<void> {
    const { main, module, bin, exports, scripts } = readManifest(join(folder, 'package.json'))
    for (const entry of textsIn([main, module, bin, exports]))
      for (const end of ['', '.js', '/index.js']) {
        const path = resolve(folder, `${entry}${end}`)
        if ((await isFile(path)) && (await this.#isOfProject(path))) this.#keep(path)
      }
    for (const script of textsIn(scripts)) await this.#addPieces(script, folder)
  }

  async #addNearestManifest(): Promise<void> {
    for (let folder = this.#cwd; isInside(folder, this.#root); folder = dirname(folder)) {
      if (await isFile(join(folder, 'package.json'))) return this.#addFolder(folder)
      if (folder === dirname(folder)) return
    }
  }

  /** Adds a program that the project has installed: runners prefer it. */
  async #addInstalled(word: string): Promise<void> {
    for (let folder = this.#cwd; isInside(folder, this.#root); folder = dirname(folder)) {
      const path = join(folder, 'node_modules', '.bin', word)
      if (await isFile(path)) return this.#keep(path)
      if (folder === dirname(folder)) return
    }
  }
}

/** The path, or the path with the extension that a program adds. */
async function findWritten(path: string, role: 'script' | 'argument'): Promise<string> {
  if (role === 'argument' || (await stat(path).catch(() => undefined))) return path
  for (const end of unwrittenEnds) if (await isFile(`${path}${end}`)) return `${path}${end}`
  return path
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isFile(),
    () => false,
  )
}

/** A manifest that cannot be read starts nothing. */
function readManifest(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readRegular(path, MANIFEST_BYTES).bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** No manifest nests deeper than this. */
const DEEPEST = 20

function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return []
  return Object.values(value).flatMap((part) => textsIn(part, depth + 1))
}
