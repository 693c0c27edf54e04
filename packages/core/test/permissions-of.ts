import type { Permissions } from '../src/permissions.ts'
import { parseToolPattern } from '../src/tool-patterns.ts'

/** Rules as a workspace has them; a pattern that cannot be read throws. */
export function permissionsOf(lists: { allow?: string[]; deny?: string[]; ask?: string[] }): Permissions {
  const parse = (patterns: string[] = []) => patterns.map(parseToolPattern)
  return { allow: parse(lists.allow), deny: parse(lists.deny), ask: parse(lists.ask) }
}
