import { listOf, textOf, type Members, type Reading } from '../json-reading.ts'
import { kindOf, membersOf, type JsonNode, type JsonSource } from '../json-source.ts'
import { bareToolName, TOOL_EXPECTED } from '../server-config.ts'
import { launchOf } from '../server-launch.ts'
import type { LocalLaunch, LocalServer } from './local-server.ts'
import type { KnownKeys } from './server-keys.ts'

const LONGEST_MS = 86_400_000
const capabilityName = /^[A-Za-z][A-Za-z0-9_./-]{0,127}$/
const CAPABILITY_EXPECTED = 'expected the name of a capability, such as tools or resources'
const ownKeyReference = /\$\{[^}]*\bPML_API_KEY\b/i

/** Reads a server except its name. Problems are reported; the result is valid only if there are none. */
export function readLocalServer(
  reading: Reading,
  node: JsonNode,
  { members, meant }: KnownKeys,
): Omit<LocalServer, 'name'> {
  const kind = kindOfServer(reading, node, { members, meant })
  checkOwnKey(reading, members)
  return {
    description: textOf(reading, members.get('description')) ?? '',
    launch: readLaunch(reading, kind, members),
    isDisabled: isDisabled(reading, members),
    tools: namesOf(reading, members.get('tools'), { pattern: bareToolName, expected: TOOL_EXPECTED }),
    capabilities: namesOf(reading, members.get('capabilities'), {
      pattern: capabilityName,
      expected: CAPABILITY_EXPECTED,
    }),
    startTimeoutMs: millisecondsOf(reading, members.get('startTimeoutMs')),
    callTimeoutMs: millisecondsOf(reading, members.get('callTimeoutMs')),
  }
}

type Kind = LocalLaunch['kind']

function kindOfServer({ source }: Reading, node: JsonNode, { members, meant }: KnownKeys): Kind {
  const kind = meant.has('url') ? 'http' : 'stdio'
  if (node.type !== 'object') return kind
  const type = members.get('type')
  if (type?.value === 'sse')
    source.report(type, 'expected another transport: sse is deprecated; write "http" if the server can')
  if (meant.has('url') === meant.has('command')) {
    const got = meant.has('url') ? 'both; remove one' : 'neither; add one'
    source.report(node, `expected a command (a local server) or a url (a remote one), got ${got}`)
  } else {
    if (type && type.value !== 'sse') checkType(source, kind, type)
    checkMisplaced(source, kind, members)
  }
  return kind
}

function checkType(source: JsonSource, kind: Kind, type: JsonNode): void {
  const allowed: unknown[] = kind === 'http' ? ['http', 'streamable-http'] : ['stdio']
  if (!allowed.includes(type.value)) {
    const way = kind === 'http' ? 'url' : 'command'
    source.report(type, `expected "${kind}", as it has a ${way}; change it, or remove the key`)
  }
}

function checkMisplaced(source: JsonSource, kind: Kind, members: Members): void {
  const [foreign, way] = kind === 'http' ? [['args', 'env', 'cwd'], 'command'] : [['headers'], 'url']
  for (const key of foreign) {
    const node = members.get(key)
    if (node) source.report(node, `expected ${key} only beside a ${way}; remove the key`)
  }
}

/** pml's own key is sent to its registry only. */
function checkOwnKey({ source }: Reading, members: Members): void {
  const env = members.get('env')
  for (const { key, name } of env ? membersOf(env) : [])
    if (key.toUpperCase() === 'PML_API_KEY')
      source.report(name, 'expected no PML_API_KEY, which goes to the registry alone; remove it')
  for (const part of ['command', 'args', 'env', 'cwd', 'url', 'headers'])
    for (const text of textsIn(members.get(part)))
      if (ownKeyReference.test(String(text.value)))
        source.report(text, 'expected no reference to PML_API_KEY, which goes to the registry alone')
}

function textsIn(node: JsonNode | undefined): JsonNode[] {
  if (node === undefined) return []
  if (node.type === 'property') return textsIn(node.children?.[1])
  return node.type === 'string' ? [node] : (node.children ?? []).flatMap(textsIn)
}

function readLaunch(reading: Reading, kind: Kind, members: Members): LocalLaunch {
  const { command = '', args, env, url = '', headers } = launchOf(reading, members)
  const cwd = textOf(reading, members.get('cwd'), (node, text) => {
    if (text.trim() === '') reading.source.report(node, 'expected a folder, got nothing; remove the key')
  })
  return kind === 'http' ? { kind, url, headers } : { kind, command, args, env, cwd }
}

function isDisabled(reading: Reading, members: Members): boolean {
  const disabled = booleanOf(reading, members.get('disabled'))
  const enabled = booleanOf(reading, members.get('enabled'))
  const second = members.get('enabled')
  if (second && disabled !== undefined && disabled === enabled)
    reading.source.report(second, 'expected the opposite of disabled; remove one of them')
  return disabled ?? enabled === false
}

function booleanOf({ source }: Reading, node: JsonNode | undefined): boolean | undefined {
  if (node === undefined || node.type === 'boolean') return node?.value as boolean | undefined
  source.report(node, `expected true or false, got ${kindOf(node)}`)
  return undefined
}

function millisecondsOf({ source }: Reading, node: JsonNode | undefined): number | undefined {
  if (node === undefined) return undefined
  const { value } = node as { value?: unknown }
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= LONGEST_MS) return value
  const got = node.type === 'number' ? 'another number' : kindOf(node)
  source.report(node, `expected whole milliseconds from 1 to ${LONGEST_MS}, which is a day, got ${got}`)
  return undefined
}

function namesOf(
  reading: Reading,
  node: JsonNode | undefined,
  { pattern, expected }: { pattern: RegExp; expected: string },
): string[] | undefined {
  const seen = new Set<string>()
  const names = listOf(reading, node, (item, name) => {
    if (!pattern.test(name)) reading.source.report(item, expected)
    if (seen.has(name)) reading.source.report(item, 'expected each name once; remove one of them')
    seen.add(name)
  })
  return node && names
}
