/** The kinds of differences between a server and its locked listing. */
export type ServerFindingKind =
  | 'launch_changed'
  | 'instructions_changed'
  | 'tool_added'
  | 'tool_removed'
  | 'tool_renamed'
  | 'title_changed'
  | 'description_changed'
  | 'schema_widened'
  | 'schema_narrowed'
  /** Neither clearly wider nor narrower. */
  | 'schema_changed'
  | 'output_schema_changed'
  /** The tool no longer claims to be harmless. */
  | 'annotation_escalated'
  | 'annotation_changed'
  | 'metadata_changed'
  | 'hidden_characters'
  /** The locked listing is missing. */
  | 'listing_unknown'

export type Severity = 'info' | 'warning' | 'danger'

/** All texts are short, on one line, and without invisible characters. */
export interface ServerFinding {
  readonly kind: ServerFindingKind
  /** The name of a tool, or `server`. */
  readonly subject: string
  readonly severity: Severity
  readonly message: string
}

/** Different listings always have a finding; the worst come first. */
export interface ServerChange {
  readonly findings: readonly ServerFinding[]
}
