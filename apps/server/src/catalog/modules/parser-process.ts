import { parseSync } from 'oxc-parser'
import type { JsonValue } from '@pml/core'
import { serveRequests } from '../../serve-requests.ts'
import type { ModuleFacts } from './module-facts.ts'

/** Runs in a separate process: the parser is native code, and hostile nesting overflows its stack and crashes it. */

interface Node {
  readonly type: string
  readonly start: number
  readonly [member: string]: unknown
}

const directive =
  /^\/\s*<reference\s[^>]*(?:path|types)\s*=|@(?:deno-types|ts-types|ts-self-types|jsxImportSource)\b/

serveRequests(factsOf)

function factsOf(source: string): ModuleFacts {
  const result = parseSync('module.ts', source, {
    lang: 'ts',
    sourceType: 'module',
    showSemanticErrors: true,
  })
  const errors = result.errors.map(({ message, labels }) => ({ message, offset: labels[0]?.start ?? 0 }))
  if (errors.length > 0) return { errors, imports: [], literals: {} }
  const nodes = [...nodesBelow(result.program)]
  const written = nodes.flatMap((node) => importOf(node) ?? [])
  const commented = result.comments
    .filter(({ value }) => directive.test(value))
    .map(({ value, start }) => ({ specifier: value.trim(), offset: start }))
  return { errors, imports: [...written, ...commented], literals: literalsOf(nodes) }
}

/** Walks the tree without recursion, because modules may be nested deeply. */
function* nodesBelow(root: unknown): Generator<Node> {
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (isNode(value)) yield value
    if (typeof value !== 'object' || value === null) continue
    for (const member of Object.values(value)) waiting.push(member)
  }
}

function importOf(node: Node): { specifier: string | null; offset: number } | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node['source']
        ? { specifier: textOf(node['source']), offset: offsetOf(node['source'], node) }
        : undefined
    case 'TSExternalModuleReference':
      return { specifier: textOf(node['expression']), offset: node.start }
    default:
      return undefined
  }
}

function literalsOf(nodes: readonly Node[]): Record<string, JsonValue> {
  const found: [string, JsonValue][] = []
  for (const node of nodes) {
    const declaration = node.type === 'ExportNamedDeclaration' ? node['declaration'] : undefined
    if (!isNode(declaration) || declaration.type !== 'VariableDeclaration' || declaration['kind'] !== 'const')
      continue
    for (const { id, init } of declaration['declarations'] as { id: Node; init: unknown }[]) {
      const value = literalOf(init)
      if (value !== undefined && typeof id['name'] === 'string') found.push([id['name'], value])
    }
  }
  return Object.fromEntries(found)
}

/** Returns the value of an expression that is a plain literal, or undefined. */
function literalOf(node: unknown): JsonValue | undefined {
  if (!isNode(node)) return undefined
  switch (node.type) {
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'ParenthesizedExpression':
      return literalOf(node['expression'])
    case 'Literal':
      return ['string', 'number', 'boolean'].includes(typeof node['value']) || node['raw'] === 'null'
        ? (node['value'] as JsonValue)
        : undefined
    case 'UnaryExpression': {
      const value = literalOf(node['argument'])
      return node['operator'] === '-' && typeof value === 'number' ? -value : undefined
    }
    case 'ArrayExpression':
      return allOrNothing((node['elements'] as unknown[]).map(literalOf))
    case 'ObjectExpression':
      return objectOf(node['properties'] as Node[])
    default:
      return undefined
  }
}

function objectOf(properties: readonly Node[]): JsonValue | undefined {
  const keys = properties.map((property) =>
    property.type === 'Property' && !property['computed'] ? keyOf(property['key']) : undefined,
  )
  const values = allOrNothing(properties.map((property) => literalOf(property['value'])))
  if (!values || keys.includes(undefined)) return undefined
  return Object.fromEntries(keys.map((key, index) => [String(key), values[index] ?? null]))
}

function allOrNothing(values: readonly (JsonValue | undefined)[]): JsonValue[] | undefined {
  return values.every((value) => value !== undefined) ? [...values] : undefined
}

function keyOf(key: unknown): string | undefined {
  if (!isNode(key)) return undefined
  return key.type === 'Identifier'
    ? String(key['name'])
    : key.type === 'Literal'
      ? String(key['value'])
      : undefined
}

function textOf(node: unknown): string | null {
  return isNode(node) && node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : null
}

function offsetOf(node: unknown, fallback: Node): number {
  return isNode(node) ? node.start : fallback.start
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}
