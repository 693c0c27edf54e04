import { SUPPORTED_PROTOCOL_VERSIONS, type Implementation } from '@modelcontextprotocol/server'

/** `modern` is 2026-07-28, where every request stands alone; `legacy` is every revision that begins with `initialize`. */
export type Era = 'modern' | 'legacy'

export const MODERN_REVISION = '2026-07-28'
export const legacyRevisions: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS.filter(
  (version) => version < MODERN_REVISION,
)

/** How long a client may keep a list of tools: short, since a tool can be disabled at any time. */
export const LIST_TTL_MS = 60_000
export const DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024

export interface McpOptions {
  /** Name and version of the program, as clients show it. */
  readonly info: Implementation
  /** What an agent should know before it uses the tools. */
  readonly instructions?: string
  /** The longest message taken. */
  readonly maxBodyBytes?: number
  /** Receives unexpected errors. The caller only learns that there was an internal error. */
  readonly onFault: (fault: unknown) => void
}
