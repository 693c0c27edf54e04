import type { Permissions } from '../src/permissions.ts'
import { parseToolPattern } from '../src/tool-patterns.ts'

/** The permissions of a workspace with these rules; throws for an invalid pattern. */
export function permissionsOf(lists: { allow?: string[]; deny?: string[]; ask?: string[] }): Permissions {
  const parse = (patterns: string[] = []) => patterns.map(parseToolPattern)
  return { allow: parse(lists.allow), deny: parse(lists.deny), ask: parse(lists.ask) }
}
