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

/** The first file that has a server decides what it is, and each that says otherwise is warned of. Never throws. */
export async function discoverServers(places: readonly ServerPlace[]): Promise<Discovery> {
  const files = onceEach((await Promise.all(places.map(readPlace))).flat())
  const servers = new Map<string, FoundServer>()
  const warnings: string[] = []
  for (const server of files.flatMap(serversOf)) {
    const first = servers.get(server.name)
    if (first)
      warnings.push(`Server ${server.name} of ${server.file} is not used, as ${first.file} comes first`)
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

/** Files of a project are for everyone who works on it. */
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

/** What is wrong with a file as a whole is a problem like those in it. */
function unreadable(file: string): (error: unknown) => ServerFile {
  return (error) => {
    if (!(error instanceof PmlError)) throw error
    const problem = { file, line: 1, column: 1, path: '', message: error.message }
    return { real: file, servers: [], problems: [problem] }
  }
}

/** Several places may lead to one file. */
function onceEach(files: readonly PlacedFile[]): PlacedFile[] {
  const seen = new Set<string>()
  return files.filter(({ real }) => !seen.has(real) && seen.add(real))
}

/** Where a server has what looks like a secret, such as `env.TOKEN`. */
function findSecrets({ launch }: LocalServer): string[] {
  const [part, values] = launch.kind === 'http' ? ['headers', launch.headers] : ['env', launch.env]
  return Object.entries(values)
    .filter(([name, value]) => findNamedSecret(name, value) !== undefined)
    .map(([name]) => `${part}.${name}`)
}

/** Throws where none of them is there. */
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

/** Far more than anybody's servers. */
const LIMIT_BYTES = 1024 * 1024

/** The files of a place in the order of their names; none where there is no such folder. */
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

/** What begins with a dot is what editors and systems leave beside files. */
function isServerFile(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.')
}

async function isFolder(path: string): Promise<boolean> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw fileError('read', path, error)
    throw new PmlError(
      'not_found',
      `Cannot read ${path}: expected a folder or a file, got nothing there; change PML_MCP_PATH, or make it`,
    )
  })
  return info.isDirectory()
}

interface ServerFile extends ParsedServerFile {
  /** With links resolved. */
  readonly real: string
}

/** Undefined where there is none. Throws where there is something that is no file of text. */
async function readServerFile(
  path: string,
  base: ServerPlace['base'],
): Promise<ServerFile | undefined> {
  const real = await findReal(path, base)
  const file = await readPlainFile(real, LIMIT_BYTES)
  return file && { real, ...parseServerFile(decodeText(file.bytes, path), path) }
}

async function findReal(path: string, base: ServerPlace['base']): Promise<string> {
  return base === undefined ? realPathOf(path) : realPathIn(base, path)
}

/** In one line, as editors and compilers understand it. */
export function printProblem({ file, line, column, path, message }: ConfigProblem): string {
  return [`${file}:${line}:${column}`, ...(path === '' ? [] : [path]), message].join(': ')
}
