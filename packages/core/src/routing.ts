import { PmlError } from './errors.ts'
import type { ToolName } from './names.ts'
import { compareSpecificity, covers, parseToolPattern, type ToolPattern } from './tool-patterns.ts'

export type Routing = 'client' | 'server'

export interface RoutingRules {
  readonly rules: readonly { readonly pattern: ToolPattern; readonly routing: Routing }[]
  readonly fallback: Routing
}

export function parseRoutingRules(lists: {
  client: string[]
  server: string[]
  default: Routing
}): RoutingRules {
  const both = lists.client.find((pattern) => lists.server.includes(pattern))
  if (both !== undefined) {
    throw new PmlError(
      'invalid_config',
      `Cannot route '${both}': it stands under both client and server; keep one`,
    )
  }
  const rules = (['client', 'server'] as const).flatMap((routing) =>
    lists[routing].map((text) => ({ pattern: parseToolPattern(text), routing })),
  )
  return { rules: rules.sort((a, b) => compareSpecificity(b.pattern, a.pattern)), fallback: lists.default }
}

/** The most specific pattern wins. */
export function routingFor({ rules, fallback }: RoutingRules, tool: ToolName): Routing {
  return rules.find(({ pattern }) => covers(pattern, tool))?.routing ?? fallback
}
