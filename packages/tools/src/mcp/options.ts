import { SUPPORTED_PROTOCOL_VERSIONS, type Implementation } from '@modelcontextprotocol/server'

/** `modern` is 2026-07-28, where every request is independent; `legacy` is every revision that begins with `initialize`. */
export type Era = 'modern' | 'legacy'

export const MODERN_REVISION = '2026-07-28'
export const legacyRevisions: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS.filter(
  (version) => version < MODERN_REVISION,
)

/** How long a client may cache a list of tools: short, because tools can be disabled at any time. */
export const LIST_TTL_MS = 60_000
export const DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024

export interface McpOptions {
  /** The program's name and version, as clients show it. */
  readonly info: Implementation
  /** Instructions for agents. */
  readonly instructions?: string
  /** The maximum size of a message. */
  readonly maxBodyBytes?: number
  /** Receives unexpected errors. The caller only gets an internal error. */
  readonly onFault: (fault: unknown) => void
}
