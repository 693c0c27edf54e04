import { PmlError } from '@pml/core'
import type { Discovery, FoundServer } from './found-server.ts'
import { findSecrets } from './find-secrets.ts'
import { isGateway } from '../../machine/is-gateway.ts'
import { listServerFiles, readServerFile, type ServerFile } from './server-files.ts'
import type { ServerPlace } from '../../workspace/server-places.ts'

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
