import type { AgentName } from '../agents/find-agent.ts'
import type { Example, OnUnapproved, TestCheck } from './policy.ts'

/** The file after `findPolicyProblems` found no problem. */
export interface PolicyJson {
  readonly onUnreachable?: 'deny' | 'allow'
  readonly mcp?: { readonly unlocked?: 'block' | 'allow'; readonly trusted?: readonly string[] }
  readonly disabled?: readonly string[]
  readonly operations?: Readonly<Record<string, OperationJson>>
  readonly rules?: readonly RuleJson[]
}

export interface OperationJson {
  readonly server: string
  readonly label: string
  readonly patterns: readonly string[]
  readonly example: string
}

export interface RuleJson {
  readonly id: string
  readonly description?: string
  readonly tools?: readonly string[]
  readonly agents?: readonly (AgentName | '*')[]
  readonly paths?: readonly string[]
  readonly except?: readonly string[]
  readonly match?: MatchJson
  readonly effect: 'block' | { readonly approval: string } | { readonly mcp: string }
  readonly unknown?: 'block' | 'ask' | 'allow'
  readonly onUnapproved?: OnUnapproved
  readonly reason: string
  readonly suggestion: string
  readonly examples?: { readonly match?: readonly Example[]; readonly pass?: readonly Example[] }
}

export interface MatchJson {
  readonly extensions?: readonly string[]
  readonly shebang?: boolean
  readonly content?: readonly string[]
  readonly added?: readonly string[]
  readonly removed?: readonly string[]
  readonly tests?: readonly TestCheck[]
  readonly commands?: readonly string[]
  readonly operations?: readonly string[]
}
