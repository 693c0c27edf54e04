import { linkSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileNameOf, randomWord, sha256 } from '../machine/files/sha256.ts'
import { realPath } from '../agents/real-path.ts'
import { readRegular } from '../machine/files/read-plain-file.ts'

const LIMIT_BYTES = 1024 * 1024
const LONGEST_NAME = 60
const LONGEST_REMOTE_BYTES = 200

/**
 * A name for the project in a folder without its path on this machine: the folder relative to its repository, and the
 * repository's remote. Without a remote, a stored id makes it unique.
 */
export function projectOf(root: string, state: string): string {
  const real = realPath(root)
  const repository = findRepository(real)
  const top = repository?.root ?? real
  const name = [basename(top), ...relative(top, real).split(sep)].filter((part) => part !== '').join('/')
  const remote = repository && findRemote(repository.config)
  return `${shorten(name)} ${remote ?? `#${idOf(real, state)}`}`
}

/** Keeps the end of a long name, and a digest of the whole. */
function shorten(name: string): string {
  const characters = [...name]
  if (characters.length <= LONGEST_NAME) return name
  return `${digestOf(name).slice(0, 12)}…${characters.slice(-LONGEST_NAME).join('')}`
}

interface Repository {
  readonly root: string
  /** The text of its configuration; empty if it cannot be read. */
  readonly config: string
}

/** Finds the repository. In a worktree or submodule `.git` is a file that names the folder. */
function findRepository(folder: string): Repository | undefined {
  for (let root = folder; ; root = dirname(root)) {
    const git = join(root, '.git')
    const kind = statSync(git, { throwIfNoEntry: false })
    if (kind?.isDirectory()) return { root, config: findText(join(git, 'config')) }
    const [, leads] = kind ? (/^gitdir: (.+)$/m.exec(findText(git)) ?? []) : []
    if (leads !== undefined) {
      const own = resolve(root, leads.trim())
      const common = resolve(own, findText(join(own, 'commondir')).trim())
      return { root, config: findText(join(common, 'config')) }
    }
    if (root === dirname(root)) return undefined
  }
}

function findText(file: string): string {
  try {
    return readRegular(file, LIMIT_BYTES).bytes.toString('utf8')
  } catch {
    return ''
  }
}

/** The remote called origin, else the first one. */
function findRemote(config: string): string | undefined {
  const remotes = new Map<string, string>()
  let section: string | undefined
  for (const line of config.split('\n')) {
    const header = /^\s*\[(?:remote "([^"\\]*)")?/.exec(line)
    if (header) section = header[1]
    const [, url] = /^\s*(?:\[.*\]\s*)?url\s*=\s*"?([^"\s]+)/i.exec(line) ?? []
    if (section !== undefined && url !== undefined && !remotes.has(section)) remotes.set(section, url)
  }
  const url = remotes.get('origin') ?? [...remotes.values()][0]
  return url === undefined ? undefined : printRemote(url)
}

/** Host and path without protocol and user; undefined for a local folder. */
function printRemote(url: string): string | undefined {
  const short = /^(?:[^@/:]+@)?([^/:]{2,}):(?!\/\/)([^\\]+)$/.exec(url)
  const whole = /^(?:https?|ssh|git|git\+ssh):\/\/(?:[^@/]*@)?([^/]+)\/(.+)$/i.exec(url)
  const [, host, path] = short ?? whole ?? []
  if (host === undefined || path === undefined) return undefined
  const plain = path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  const remote = `${host.toLowerCase().replace(/:(?:22|443|80)$/, '')}/${plain}`
  return Buffer.byteLength(remote) > LONGEST_REMOTE_BYTES ? digestOf(remote) : remote
}

/** A random id, because the same path elsewhere is another project; a digest of the path if nothing can be stored. */
function idOf(folder: string, state: string): string {
  const places = join(state, 'projects')
  const file = join(places, fileNameOf(folder))
  const known = findId(file)
  if (known !== undefined) return known
  const id = `${randomWord()}${randomWord()}`
  const draft = `${file}.${id}`
  try {
    mkdirSync(places, { recursive: true, mode: 0o700 })
    writeFileSync(draft, id, { mode: 0o600 })
    // Of several processes at once, one stores its id.
    linkSync(draft, file)
  } catch {
    // Another process was faster, or nothing can be stored.
  }
  remove(draft)
  return findId(file) ?? digestOf(folder)
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // There is none.
  }
}

function findId(file: string): string | undefined {
  return /^[0-9a-f]{32}$/.exec(findText(file))?.[0]
}

function digestOf(text: string): string {
  return sha256(text).slice(0, 32)
}
