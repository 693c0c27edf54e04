import { objectMembers, textOf, type Reading } from '../json-reading.ts'
import { findSource, kindOf, type JsonMember, type JsonNode, type Problem } from '../json-source.ts'
import { isComponent } from '../names.ts'
import { NAME_EXPECTED } from '../server-config.ts'
import type { ConfigProblem, LocalServer, ParsedServerFile } from './local-server.ts'
import { readLocalServer } from './read-local-server.ts'
import { fileKeys, listKeys, memberKeys, readKeys } from './server-keys.ts'

/** Real configurations never have more. */
const MOST_PROBLEMS = 1000
const lists = ['mcpServers', 'servers']

/**
 * Parses one server, or several under `mcpServers` (or `servers`) as editors write them; comments and trailing commas are
 * allowed. Never throws. A server with a problem is left out and does not affect the others.
 */
export function parseServerFile(text: string, file: string): ParsedServerFile {
  const source = findSource(text, file, { allowsComments: true, mostProblems: MOST_PROBLEMS })
  if (!('root' in source)) return { servers: [], problems: source.map(problemIn(file)).map(asInvalidJson) }
  const reading: Reading = { source, ignored: [], isLocal: true }
  const servers = readServers(reading)
  return { servers, problems: source.problems.map(problemIn(file)) }
}

function asInvalidJson(problem: ConfigProblem): ConfigProblem {
  return { ...problem, name: 'ErrInvalidJSON' }
}

function problemIn(file: string): (problem: Problem) => ConfigProblem {
  return ({ line, column, key, message }) => ({ file, line, column, path: key, message })
}

function readServers(reading: Reading): LocalServer[] {
  const { root } = reading.source
  if (root.type !== 'object') {
    reading.source.report(root, `expected an object, got ${kindOf(root)}; write { … }`)
    return []
  }
  const isList = objectMembers(reading, root).some(({ key }) => lists.includes(key))
  return isList ? readList(reading) : readOne(reading)
}

/** Only problems of the server itself exclude it. */
function readList(reading: Reading): LocalServer[] {
  const { source } = reading
  const { members } = readKeys(reading, source.root, listKeys)
  const [ours, theirs] = [members.get('mcpServers'), members.get('servers')]
  if (ours && theirs) source.report(theirs, 'expected mcpServers or servers, got both; move all into one')
  const found = [ours, theirs].flatMap((list) => (list ? objectMembers(reading, list) : []))
  const servers = found.map((member) => ({ member, server: readMember(reading, member) }))
  const twice = new Set(found.filter(isSecond()).map(({ key }) => key))
  return servers
    .filter(({ member: { key, name, value } }) => !twice.has(key) && source.isSound(name.parent ?? value))
    .map(({ server }) => server)
}

/** Duplicate names are ambiguous. */
function isSecond(): (member: JsonMember) => boolean {
  const seen = new Set<string>()
  return ({ key }) => seen.has(key) || !seen.add(key)
}

function readMember(reading: Reading, { key, name, value }: JsonMember): LocalServer {
  if (!isComponent(key)) reading.source.report(name, NAME_EXPECTED)
  return { name: key, ...readLocalServer(reading, value, readKeys(reading, value, memberKeys)) }
}

function readOne(reading: Reading): LocalServer[] {
  const { source } = reading
  const keys = readKeys(reading, source.root, fileKeys)
  if (lists.some((key) => keys.meant.has(key))) return []
  const name = nameOf(reading, keys.members.get('name'))
  const server = { name, ...readLocalServer(reading, source.root, keys) }
  return source.isSound(source.root) ? [server] : []
}

function nameOf(reading: Reading, node: JsonNode | undefined): string {
  const { source } = reading
  if (node) {
    const name = textOf(reading, node, (_, text) => {
      if (!isComponent(text)) source.report(node, NAME_EXPECTED)
    })
    return name ?? ''
  }
  const fromFile = source.file.replace(/^.*[/\\]/s, '').replace(/\.json$/, '')
  if (!isComponent(fromFile))
    source.report(
      source.root,
      'expected a name, since the name of the file is not a valid one; add "name": "…"',
    )
  return fromFile
}
