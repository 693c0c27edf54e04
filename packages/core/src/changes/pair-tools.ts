import { canonicalJson, type JsonObject } from '../canonical-json.ts'
import type { ToolDefinition } from '../tool-definition.ts'
import { isObject, memberOf, sameJson } from './json.ts'

interface Pair {
  readonly before: ToolDefinition
  readonly after: ToolDefinition
}

interface PairedTools {
  /** Tools with the same name, changed or not. */
  readonly kept: readonly Pair[]
  readonly renamed: readonly Pair[]
  readonly removed: readonly ToolDefinition[]
  readonly added: readonly ToolDefinition[]
}

type Tools = readonly ToolDefinition[]

/** Pairs old tools with new ones. A name may be listed more than once. */
export function pairTools(before: Tools, after: Tools): PairedTools {
  const [old, now] = [byName(before), byName(after)]
  const names = [...new Set([...old.keys(), ...now.keys()])].sort()
  const same = names.map((name) => pairSameName(old.get(name) ?? [], now.get(name) ?? []))
  const [removed, added] = [same.flatMap((one) => one.removed), same.flatMap((one) => one.added)]
  return { kept: same.flatMap(({ kept }) => kept), ...pairRenamed(removed, added) }
}

function byName(tools: Tools): Map<string, ToolDefinition[]> {
  const found = new Map<string, ToolDefinition[]>()
  for (const tool of tools) {
    const others = found.get(tool.name)
    if (others) others.push(tool)
    else found.set(tool.name, [tool])
  }
  return found
}

interface Unpaired {
  readonly removed: ToolDefinition[]
  readonly added: ToolDefinition[]
}

/** Pairs equal tools first, then the others in order. */
function pairSameName(before: ToolDefinition[], after: ToolDefinition[]): Unpaired & { kept: Pair[] } {
  const same = takePairs({ removed: before, added: after }, (tool) => canonicalJson(tool as JsonObject))
  const kept = same.pairs
  const most = Math.min(same.removed.length, same.added.length)
  for (let at = 0; at < most; at++) {
    const [old, now] = [same.removed[at], same.added[at]]
    if (old && now) kept.push({ before: old, after: now })
  }
  return { kept, removed: same.removed.slice(most), added: same.added.slice(most) }
}

/** Pairs tools by definition, else by inputs or description. */
function pairRenamed(removed: ToolDefinition[], added: ToolDefinition[]): Omit<PairedTools, 'kept'> {
  let rest = { removed, added }
  const renamed: Pair[] = []
  for (const keyOf of [definitionOf, inputsOf, descriptionOf]) {
    const { pairs, ...others } = takePairs(rest, keyOf)
    renamed.push(...pairs)
    rest = others
  }
  return { renamed, ...rest }
}

/** Pairs equal keys; a tool without a key is not paired. */
function takePairs(
  { removed, added }: Unpaired,
  keyOf: (tool: ToolDefinition) => string | undefined,
): Unpaired & { pairs: Pair[] } {
  const waiting = new Map<string, ToolDefinition[]>()
  for (const tool of removed.toReversed()) {
    const key = keyOf(tool)
    const others = key === undefined ? undefined : waiting.get(key)
    if (others) others.push(tool)
    else if (key !== undefined) waiting.set(key, [tool])
  }
  const pairs: Pair[] = []
  const others = added.filter((tool) => {
    const before = waiting.get(keyOf(tool) ?? '')?.pop()
    if (before) pairs.push({ before, after: tool })
    return before === undefined
  })
  const taken = new Set(pairs.map(({ before }) => before))
  return { pairs, removed: removed.filter((tool) => !taken.has(tool)), added: others }
}

function definitionOf({ name: _name, ...definition }: ToolDefinition): string {
  return canonicalJson(definition as JsonObject)
}

/** Tools without inputs do not count as related. */
function inputsOf({ inputSchema }: ToolDefinition): string | undefined {
  const properties = memberOf(inputSchema as JsonObject, 'properties')
  if (!isObject(properties) || sameJson(properties, {})) return undefined
  return canonicalJson(inputSchema as JsonObject)
}

function descriptionOf({ description }: ToolDefinition): string | undefined {
  return description === undefined || description === '' ? undefined : `text ${JSON.stringify(description)}`
}
