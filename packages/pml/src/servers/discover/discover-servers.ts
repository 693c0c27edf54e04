import { PmlError } from '@pml/core'
import type { Discovery, FoundServer } from './found-server.ts'
import { isGateway } from '../../machine/is-gateway.ts'
import type { ServerPlace } from '../../workspace/server-places.ts'
import { findNamedSecret } from '@pml/core/secret-literals'
import {
  type LocalServer,
  parseServerFile,
  type ParsedServerFile,
  type ConfigProblem,
} from '@pml/core/local-servers'
import { access, readdir, stat } from 'node:fs/promises'
import { noServerFiles } from './server-errors.ts'
import { join } from 'node:path'
import { decodeText, readPlainFile } from '../../machine/files/read-plain-file.ts'
import { fileError } from '../../machine/files/file-error.ts'
import { realPathIn, realPathOf } from '../../machine/files/real-path.ts'

/** Reads the servers of all places. The first file that describes a server wins; others get a warning. Never throws. */
export async function discoverServers(places: readonly ServerPlace[]): Promise<Discovery> {
  const files = onceEach((await Promise.all(places.map(readPlace))).flat())
  const servers = new Map<string, FoundServer>()
  const warnings: string[] = []
  for (const server of files.flatMap(serversOf)) {
    const first = servers.get(server.name)
    if (first)
      warnings.push(`Server ${server.name} of ${server.file} is ignored because ${first.file} comes first`)
    else servers.set(server.name, server)
    warnings.push(...warningsOf(server))
  }
  return {
    servers: new Map([...servers].sort(([a], [b]) => (a < b ? -1 : 1))),
    problems: files.flatMap(({ problems }) => problems),
    warnings,
    places: places.map(({ path }) => path),
    files: files.map(({ file }) => file),
  }
}

function serversOf({ file, scope, servers }: PlacedFile): FoundServer[] {
  return servers.filter(({ launch }) => !isGateway(launch)).map((server) => ({ ...server, file, scope }))
}

/** Warns of secrets in files of a project, which everyone who works on it can read. */
function warningsOf({ file, scope, ...server }: FoundServer): string[] {
  if (scope !== 'project' && scope !== 'workspace') return []
  return findSecrets(server).map(
    (where) =>
      `Server ${server.name} of ${file} has a secret in ${where}; write "\${NAME}" and set that variable`,
  )
}

interface PlacedFile extends ServerFile {
  readonly file: string
  readonly scope: ServerPlace['scope']
}

async function readPlace(place: ServerPlace): Promise<PlacedFile[]> {
  const { path, scope, base } = place
  try {
    const files = await Promise.all(
      (await listServerFiles(place)).map(async (file) => {
        const found = await readServerFile(file, base).catch(unreadable(file))
        return found && { ...found, file, scope }
      }),
    )
    return files.filter((file) => file !== undefined)
  } catch (error) {
    return [{ ...unreadable(path)(error), file: path, scope }]
  }
}

/** Reports a file that cannot be read like a problem in it. */
function unreadable(file: string): (error: unknown) => ServerFile {
  return (error) => {
    if (!(error instanceof PmlError)) throw error
    const problem = { file, line: 1, column: 1, path: '', message: error.message }
    return { real: file, servers: [], problems: [problem] }
  }
}

/** Drops repeated files: several places may lead to the same one. */
function onceEach(files: readonly PlacedFile[]): PlacedFile[] {
  const seen = new Set<string>()
  return files.filter(({ real }) => !seen.has(real) && seen.add(real))
}

/** Members of a server that look like secrets, such as `env.TOKEN`. */
function findSecrets({ launch }: LocalServer): string[] {
  const [part, values] = launch.kind === 'http' ? ['headers', launch.headers] : ['env', launch.env]
  return Object.entries(values)
    .filter(([name, value]) => findNamedSecret(name, value) !== undefined)
    .map(([name]) => `${part}.${name}`)
}

/** Throws if none of the places exists. */
export async function requirePlace(places: readonly string[]): Promise<void> {
  const there = await Promise.all(places.map((place) => isThere(place)))
  if (!there.includes(true)) throw noServerFiles(places)
}

function isThere(place: string): Promise<boolean> {
  return access(place).then(
    () => true,
    () => false,
  )
}

/** Far more than any list of servers. */
const LIMIT_BYTES = 1024 * 1024

/** The files of a place sorted by name; none if the folder does not exist. */
async function listServerFiles({ path, kind, base }: ServerPlace): Promise<string[]> {
  if (kind === 'file' || (kind === 'either' && !(await isFolder(path)))) return [path]
  await findReal(path, base)
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw fileError('read', path, error)
  })
  return names
    .filter(isServerFile)
    .sort()
    .map((name) => join(path, name))
}

/** Skips dot files, which editors and systems leave behind. */
function isServerFile(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.')
}

async function isFolder(path: string): Promise<boolean> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw fileError('read', path, error)
    throw new PmlError(
      'not_found',
      `Cannot read ${path}: there is no such folder or file; create it, or change PML_MCP_PATH`,
    )
  })
  return info.isDirectory()
}

interface ServerFile extends ParsedServerFile {
  /** With links resolved. */
  readonly real: string
}

/** Reads a file of servers; undefined if there is none. Throws for anything but a text file. */
async function readServerFile(path: string, base: ServerPlace['base']): Promise<ServerFile | undefined> {
  const real = await findReal(path, base)
  const file = await readPlainFile(real, LIMIT_BYTES)
  return file && { real, ...parseServerFile(decodeText(file.bytes, path), path) }
}

async function findReal(path: string, base: ServerPlace['base']): Promise<string> {
  return base === undefined ? realPathOf(path) : realPathIn(base, path)
}

/** Prints a problem as `file:line:column: message`, which editors understand. */
export function printProblem({ file, line, column, path, message }: ConfigProblem): string {
  return [`${file}:${line}:${column}`, ...(path === '' ? [] : [path]), message].join(': ')
}
