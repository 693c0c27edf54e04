import { kindOf, membersOf, type JsonMember, type JsonNode, type JsonSource } from './json-source.ts'

/** A text being read: problems go to `source`, unknown keys to `ignored`. */
export interface Reading {
  readonly source: JsonSource
  readonly ignored: string[]
  /** True for a file of this machine: it may contain secrets, so every variable counts as one. */
  readonly isLocal?: boolean
}

export type Members = ReadonlyMap<string, JsonNode>
type CheckText = (node: JsonNode, text: string) => void

/** Returns the known members and notes the others as ignored. */
export function knownMembers(reading: Reading, node: JsonNode, known: readonly string[]): Members {
  const members = new Map<string, JsonNode>()
  for (const { key, value } of objectMembers(reading, node)) {
    if (known.includes(key)) members.set(key, members.get(key) ?? value)
    else reading.ignored.push(`${reading.source.placeOf(value)} has no meaning and is ignored`)
  }
  return members
}

/** Returns every member except comments, whose keys start with `_`. `__proto__` is not a comment. */
export function objectMembers({ source }: Reading, node: JsonNode): JsonMember[] {
  const isComment = (key: string) => key.startsWith('_') && key !== '__proto__'
  if (node.type === 'object') return membersOf(node).filter(({ key }) => !isComment(key))
  source.report(node, `expected an object, got ${kindOf(node)}; write { … }`)
  return []
}

export function recordOf(
  reading: Reading,
  node: JsonNode | undefined,
  check: (member: JsonMember) => void,
): Record<string, string> {
  const texts = (node ? recordMembers(reading, node) : []).flatMap((member) => {
    const text = textOf(reading, member.value)
    if (text !== undefined) check(member)
    return text === undefined ? [] : [[member.key, text] as const]
  })
  return Object.fromEntries(texts)
}

function recordMembers(reading: Reading, node: JsonNode): JsonMember[] {
  return reading.isLocal && node.type === 'object' ? membersOf(node) : objectMembers(reading, node)
}

export function listOf(reading: Reading, node: JsonNode | undefined, check?: CheckText): string[] {
  if (node === undefined) return []
  if (node.type !== 'array') reading.source.report(node, `expected a list, got ${kindOf(node)}; write [ … ]`)
  const items = node.type === 'array' ? (node.children ?? []) : []
  return items.flatMap((item) => textOf(reading, item, check) ?? [])
}

export function textOf(
  { source }: Reading,
  node: JsonNode | undefined,
  check?: CheckText,
): string | undefined {
  if (node === undefined) return undefined
  if (typeof node.value !== 'string') {
    source.report(node, `expected a string, got ${kindOf(node)}; put it in double quotes`)
    return undefined
  }
  check?.(node, node.value)
  return node.value
}
