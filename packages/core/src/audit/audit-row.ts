import { hash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '../canonical-json.ts'

/** One event at its position in the log. */
export interface AuditRow {
  /** 1 for the first event, then without gaps. */
  readonly seq: number
  /** ISO 8601 in UTC, with milliseconds. */
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly detail: JsonObject
  /** The hash of the row before. */
  readonly prev: string
  readonly hash: string
}

/** A position in the log and the hash of everything up to it. */
export interface AuditHead {
  readonly seq: number
  readonly hash: string
}

/** The hash before the first row. */
export const genesis: AuditHead = { seq: 0, hash: '0'.repeat(64) }

/** SHA-256, in hex, of the RFC 8785 form of the row without its hash. */
export function hashOfRow({ seq, at, actor, action, subject, detail, prev }: Omit<AuditRow, 'hash'>): string {
  return hash('sha256', canonicalJson({ seq, at, actor, action, subject, detail, prev }), 'hex')
}
