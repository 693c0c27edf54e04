import { knownMembers, listOf, textOf, type Reading } from './json-reading.ts'
import { JsonSource, type JsonNode } from './json-source.ts'
import { PmlError } from './errors.ts'
import type { ToolName } from './names.ts'
import { compareSpecificity, covers, parseToolPattern, type ToolPattern } from './tool-patterns.ts'

export type Routing = 'client' | 'server'

/** The most specific rules come first; the first one that covers a tool decides. */
export interface RoutingRules {
  readonly rules: readonly RoutingRule[]
  readonly fallback: Routing
}

interface RoutingRule {
  readonly pattern: ToolPattern
  readonly routing: Routing
}

export const noRoutingRules: RoutingRules = { rules: [], fallback: 'client' }

/** `{client: [patterns], server: [patterns], default}`. One error names every problem in the file. */
export function parseRoutingConfig(text: string, file: string): RoutingRules {
  const reading: Reading = { source: new JsonSource(text, file), ignored: [] }
  const members = knownMembers(reading, reading.source.root, ['$schema', 'client', 'server', 'default'])
  const rules = [
    ...rulesOf(reading, members.get('client'), 'client'),
    ...rulesOf(reading, members.get('server'), 'server'),
  ]
  const fallback = members.get('default')
  const chosen = fallback === undefined ? 'client' : textOf(reading, fallback)
  if (fallback && chosen !== 'client' && chosen !== 'server')
    reading.source.report(fallback, 'expected client or server')
  reading.source.requireSound()
  requireOneMeaning(rules, file)
  rules.sort((a, b) => compareSpecificity(b.pattern, a.pattern))
  return { rules, fallback: chosen === 'server' ? 'server' : 'client' }
}

/** The most specific pattern wins. */
export function routingFor({ rules, fallback }: RoutingRules, tool: ToolName): Routing {
  return rules.find(({ pattern }) => covers(pattern, tool))?.routing ?? fallback
}

function rulesOf(reading: Reading, node: JsonNode | undefined, routing: Routing): RoutingRule[] {
  const rules: RoutingRule[] = []
  listOf(reading, node, (item, text) => {
    try {
      rules.push({ pattern: parseToolPattern(text), routing })
    } catch (error) {
      if (!(error instanceof PmlError)) throw error
      reading.source.report(item, error.message)
    }
  })
  return rules
}

/** `ns` and `ns:*` are the same pattern, which may not be on both sides. */
function requireOneMeaning(rules: readonly RoutingRule[], file: string): void {
  const seen = new Map<string, Routing>()
  for (const { pattern, routing } of rules) {
    const key = `${pattern.namespace}:${pattern.stem}${pattern.open ? '*' : ''}`
    const other = seen.get(key)
    if (other !== undefined && other !== routing) {
      throw new PmlError(
        'invalid_config',
        `Cannot read ${file}: '${pattern.text}' is in both client and server; keep one`,
      )
    }
    seen.set(key, routing)
  }
}
