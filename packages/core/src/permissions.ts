import type { ToolName } from './names.ts'
import { covers, touches, type ToolPattern } from './tool-patterns.ts'

export type Verdict = 'deny' | 'allow' | 'ask'

export interface Permissions {
  readonly allow: readonly ToolPattern[]
  readonly deny: readonly ToolPattern[]
  readonly ask: readonly ToolPattern[]
}

/** Deny beats allow beats ask; without a match the answer is ask. */
export function decide({ deny, allow }: Permissions, tool: ToolName): Verdict {
  if (deny.some((pattern) => covers(pattern, tool))) return 'deny'
  if (allow.some((pattern) => covers(pattern, tool))) return 'allow'
  return 'ask'
}

/** Reports whether some allow or ask rule covers a lock entry. */
export function isWanted({ allow, ask }: Permissions, tool: ToolName): boolean {
  return allow.some((pattern) => touches(pattern, tool)) || ask.some((pattern) => touches(pattern, tool))
}
