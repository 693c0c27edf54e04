import type { PlainPath } from '@pml/core/path-glob'

/** The rules of an operator: `.pml/enforcement.json`, else the built-in defaults. */
export interface Policy {
  /** The file it was read from, for messages. */
  readonly file: string
  /** The verdict for a change that needs approval if the registry is unreachable. */
  readonly onUnreachable: 'deny' | 'allow'
  readonly mcp: McpPolicy
  readonly operations: readonly Operation[]
  readonly rules: readonly Rule[]
}

interface McpPolicy {
  /** The verdict for calls of servers that are not in the lockfile. */
  readonly unlocked: 'block' | 'allow'
  /** Servers that the agent brings along, by name; a trailing `*` matches any suffix. */
  readonly trusted: readonly string[]
}

/** An operation that only a certain MCP server may perform. */
export interface Operation {
  readonly name: string
  readonly server: string
  /** For a person: "Telegram operations". */
  readonly label: string
  /** Any match means that a text is about this operation. */
  readonly patterns: readonly Expression[]
  /** Patterns for a task that needs it. */
  readonly example: string
}

/** Must run in linear time or under a deadline. */
export interface Expression {
  readonly source: string
  test(text: string): boolean
  count(text: string): number
}

export type CompileExpression = (source: string) => Expression

export type OnUnapproved = 'restore' | 'hold'

export interface Rule {
  readonly id: string
  readonly description: string
  /** Kinds of calls or tool names; a trailing `*` matches any suffix. */
  readonly tools: readonly string[]
  readonly agents: readonly string[]
  /** Which files; for a command also the folder it runs in. */
  isInScope(path: PolicyPath): boolean
  /** Any of them is enough; a rule without any matches everything in its scope. */
  readonly match: Match | undefined
  readonly effect: Effect
  /** Applies if it is unknown whether the rule matches. */
  readonly unknown: 'block' | 'ask' | 'allow'
  /** The reaction to a change that a call already made against the rule: restore the old content, or refuse further writes. */
  readonly onUnapproved: OnUnapproved
  readonly reason: string
  readonly suggestion: string
  readonly examples: { readonly match?: readonly Example[]; readonly pass?: readonly Example[] }
}

/** A path for globs: absolute, and relative to the workspace root if below it. */
export interface PolicyPath {
  readonly whole: PlainPath
  readonly relative: PlainPath | undefined
}

/** The changes to tests in a file that a rule is about; see `tests/check-tests.ts`. */
export const testChecks = ['weakened', 'skipped', 'empty'] as const
export type TestCheck = (typeof testChecks)[number]

export interface Match {
  readonly extensions: readonly string[]
  readonly shebang: boolean
  readonly content: readonly Expression[]
  /** More of these than before match. */
  readonly added: readonly Expression[]
  /** Fewer of these than before match. */
  readonly removed: readonly Expression[]
  readonly tests: readonly TestCheck[]
  readonly commands: readonly Expression[]
  /** Names of operations, or `*`: matches content, commands or tasks about one of them. */
  readonly operations: readonly string[]
}

export type Effect =
  | { readonly kind: 'block' }
  | { readonly kind: 'approval'; readonly specialist: string }
  /** The server to use instead; undefined: the operation's own. */
  | { readonly kind: 'mcp'; readonly server: string | undefined }

/** A call that a rule must match or must not: a file, a command, or a task for a worker. */
export type Example =
  | { readonly path: string; readonly content: string; readonly before?: string }
  | { readonly command: string; readonly cwd?: string }
  | { readonly task: string; readonly servers: readonly string[] }
