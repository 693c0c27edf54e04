/** The closed table of errors: their HTTP status and exit code are chosen here, never at the throw. */
export const errorTable = {
  invalid_fqdn: { status: 400, exit: 2 },
  invalid_query: { status: 400, exit: 2 },
  invalid_json: { status: 400, exit: 2 },
  bad_request: { status: 400, exit: 2 },
  unauthorized: { status: 401, exit: 1 },
  foreign_origin: { status: 403, exit: 1 },
  forbidden: { status: 403, exit: 5 },
  tool_denied: { status: 403, exit: 5 },
  tool_disabled: { status: 403, exit: 5 },
  not_granted: { status: 403, exit: 5 },
  // The person has not agreed to what a workspace allows.
  not_trusted: { status: 403, exit: 5 },
  approver_mismatch: { status: 403, exit: 5 },
  self_approval: { status: 403, exit: 5 },
  wrong_specialist: { status: 403, exit: 5 },
  person_required: { status: 403, exit: 5 },
  unknown_tool: { status: 404, exit: 2 },
  not_found: { status: 404, exit: 1 },
  unknown_server: { status: 404, exit: 2 },
  no_server_files: { status: 404, exit: 1 },
  unknown_workflow: { status: 404, exit: 1 },
  hash_mismatch: { status: 404, exit: 4 },
  method_not_allowed: { status: 405, exit: 1 },
  request_timeout: { status: 408, exit: 1 },
  managed_by_config: { status: 409, exit: 1 },
  ambiguous_tool: { status: 409, exit: 2 },
  integrity_mismatch: { status: 409, exit: 4 },
  lock_frozen: { status: 409, exit: 4 },
  rejected: { status: 409, exit: 4 },
  not_approved: { status: 409, exit: 4 },
  already_used: { status: 409, exit: 4 },
  already_decided: { status: 409, exit: 4 },
  expired: { status: 409, exit: 4 },
  content_mismatch: { status: 409, exit: 4 },
  blocked_pattern: { status: 409, exit: 4 },
  duplicate_pattern: { status: 409, exit: 1 },
  workflow_answered: { status: 409, exit: 1 },
  last_admin_key: { status: 409, exit: 1 },
  not_proxied: { status: 409, exit: 1 },
  gone: { status: 410, exit: 1 },
  workflow_expired: { status: 410, exit: 1 },
  too_large: { status: 413, exit: 1 },
  unsupported_media_type: { status: 415, exit: 2 },
  expectation_failed: { status: 417, exit: 1 },
  invalid_arguments: { status: 422, exit: 2 },
  invalid_body: { status: 422, exit: 2 },
  invalid_pattern: { status: 422, exit: 2 },
  invalid_code: { status: 422, exit: 2 },
  rate_limited: { status: 429, exit: 1 },
  too_many_changes: { status: 429, exit: 1 },
  headers_too_large: { status: 431, exit: 1 },
  cancelled: { status: 499, exit: 1 },
  missing_program: { status: 500, exit: 1 },
  file_failed: { status: 500, exit: 1 },
  // A damaged lockfile cannot be compared with anything.
  invalid_lockfile: { status: 500, exit: 4 },
  invalid_config: { status: 500, exit: 2 },
  internal_error: { status: 500, exit: 1 },
  tool_failed: { status: 502, exit: 1 },
  install_failed: { status: 500, exit: 1 },
  server_failed: { status: 502, exit: 1 },
  handshake_failed: { status: 502, exit: 1 },
  upstream_failed: { status: 502, exit: 1 },
  not_configured: { status: 503, exit: 1 },
  unavailable: { status: 503, exit: 6 },
  storage_full: { status: 507, exit: 1 },
  tool_timeout: { status: 504, exit: 1 },
  close_timeout: { status: 504, exit: 1 },
} as const satisfies Record<string, { status: number; exit: number }>

export type ErrorCode = keyof typeof errorTable

/** Anything thrown that is not a PmlError is a bug. `detail` is shown to the caller beside `error` and `message`. */
export class PmlError extends Error {
  override readonly name: string = 'PmlError'
  readonly code: ErrorCode
  readonly detail: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, detail: Record<string, unknown> = {}) {
    super(message)
    this.code = code
    this.detail = detail
  }

  get status(): number {
    return errorTable[this.code].status
  }

  get exitCode(): number {
    return errorTable[this.code].exit
  }

  toJSON(): { error: ErrorCode; message: string } {
    return { error: this.code, message: this.message, ...this.detail }
  }
}

/** The content is not what was locked or declared, or a person rejected it. */
export class IntegrityError extends PmlError {
  override readonly name = 'IntegrityError'

  constructor(
    code: 'integrity_mismatch' | 'rejected',
    message: string,
    detail: Record<string, unknown> = {},
  ) {
    super(code, message, detail)
  }
}
