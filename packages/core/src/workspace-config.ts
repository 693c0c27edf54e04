import { PmlError } from './errors.ts'
import { grantKinds, type Grant, type GrantSet } from './grants.ts'
import { listOf, objectMembers, textOf, type Members, type Reading } from './json-reading.ts'
import { JsonSource, kindOf, type JsonMember, type JsonNode } from './json-source.ts'
import type { Permissions } from './permissions.ts'
import { parseToolPattern, type ToolPattern } from './tool-patterns.ts'

/** The parsed `.pml.json`. */
export interface WorkspaceConfig {
  readonly registry: string | undefined
  readonly permissions: Permissions
  /** False without allow and ask; then it is unknown which lock entries are wanted. */
  readonly saysWhatIsWanted: boolean
  readonly grants: readonly Grant[]
}

export const emptyWorkspaceConfig: WorkspaceConfig = {
  registry: undefined,
  permissions: { allow: [], deny: [], ask: [] },
  saysWhatIsWanted: false,
  grants: [],
}

const topMembers = ['$schema', 'version', 'workspace', 'cloud', 'permissions', 'grants', 'mcpServers']

/** Throws one error with every problem. Unknown members are problems: a typo must never drop a rule. */
export function parseWorkspaceConfig(text: string, file: string): WorkspaceConfig {
  const reading: Reading = { source: new JsonSource(text, file), ignored: [] }
  const members = onlyMembers(reading, reading.source.root, topMembers)
  checkVersion(reading, members.get('version'))
  textOf(reading, members.get('workspace'))
  const servers = members.get('mcpServers')
  if (servers) namedMembers(reading, servers)
  const cloud = members.get('cloud')
  const url = cloud && onlyMembers(reading, cloud, ['url']).get('url')
  const registry = textOf(reading, url, (node, text) => {
    if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text))
      reading.source.report(node, 'expected an address such as "https://registry.example.com"')
  })
  const rules = members.get('permissions')
  const lists = rules ? onlyMembers(reading, rules, ['allow', 'deny', 'ask']) : new Map<string, JsonNode>()
  const grants = grantsOf(reading, members.get('grants'))
  const permissions = {
    allow: patternsOf(reading, lists.get('allow')),
    deny: patternsOf(reading, lists.get('deny')),
    ask: patternsOf(reading, lists.get('ask')),
  }
  reading.source.requireSound()
  return { registry, permissions, saysWhatIsWanted: lists.has('allow') || lists.has('ask'), grants }
}

/** The version of this format is the number 1; older tools wrote their own version as text. */
function checkVersion({ source }: Reading, node: JsonNode | undefined): void {
  if (node === undefined || node.value === 1) return
  if (typeof node.value === 'string' && /^[01](?:\.|$)/.test(node.value)) return
  source.report(node, 'expected version 1; use a newer pml')
}

/** Members with free names, except `__proto__`. */
function namedMembers(reading: Reading, node: JsonNode): JsonMember[] {
  return objectMembers(reading, node).filter(({ key, name }) => {
    if (key === '__proto__') reading.source.report(name, 'expected another name; rename or remove it')
    return key !== '__proto__'
  })
}

function onlyMembers(reading: Reading, node: JsonNode, known: readonly string[]): Members {
  const members = new Map<string, JsonNode>()
  for (const { key, name, value } of objectMembers(reading, node)) {
    if (known.includes(key)) members.set(key, value)
    else reading.source.report(name, `expected one of ${known.join(', ')}; rename or remove it`)
  }
  return members
}

function patternsOf(reading: Reading, node: JsonNode | undefined): ToolPattern[] {
  const patterns: ToolPattern[] = []
  listOf(reading, node, (item, text) => {
    const pattern = tryPattern(reading, item, text)
    if (pattern) patterns.push(pattern)
  })
  return patterns
}

function tryPattern({ source }: Reading, node: JsonNode, text: string): ToolPattern | undefined {
  try {
    return parseToolPattern(text)
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    source.report(node, error.message)
    return undefined
  }
}

/** `{"<pattern>": {"net": ["api.example.com"], "write": ["out"]}}`; `true` is all of a kind. */
function grantsOf(reading: Reading, node: JsonNode | undefined): Grant[] {
  if (node === undefined) return []
  return namedMembers(reading, node).flatMap(({ key, name, value }) => {
    const pattern = tryPattern(reading, name, key)
    const given = onlyMembers(reading, value, grantKinds)
    const kinds = [...given].map(([kind, list]) => [kind, valuesOf(reading, list)])
    return pattern ? { pattern, given: Object.fromEntries(kinds) as GrantSet } : []
  })
}

function valuesOf(reading: Reading, node: JsonNode): readonly string[] | true {
  if (node.type === 'array') return listOf(reading, node)
  if (node.value !== true)
    reading.source.report(node, `expected a list of strings or true, got ${kindOf(node)}`)
  return true
}
