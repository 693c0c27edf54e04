/** What may be told of a server that is no longer what was locked. */
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
  /** Neither clearly. */
  | 'schema_changed'
  | 'output_schema_changed'
  /** It no longer says of itself that it does no harm. */
  | 'annotation_escalated'
  | 'annotation_changed'
  | 'metadata_changed'
  | 'hidden_characters'
  /** The locked listing is missing, so there is nothing to compare with. */
  | 'listing_unknown'

export type Severity = 'info' | 'warning' | 'danger'

/** All of its texts are on one line, short, and without what a reader cannot see. */
export interface ServerFinding {
  readonly kind: ServerFindingKind
  /** The name of a tool, or `server`. */
  readonly subject: string
  readonly severity: Severity
  readonly message: string
}

/** Two listings that are not the same always have a finding; the worst come first. */
export interface ServerChange {
  readonly findings: readonly ServerFinding[]
}
