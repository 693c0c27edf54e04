import type { JsonObject } from '../canonical-json.ts'
import { PmlError } from '../errors.ts'
import { parseStrictJson } from '../strict-json.ts'
import type { AuditHead, AuditRow } from './audit-row.ts'
import type { LogKeyStep } from './log-key.ts'

/** The start of an export whose older rows were removed. */
export interface AuditCheckpoint extends AuditHead {
  readonly at: string
  /** Absent or null if the checkpoint is older than the log key. */
  readonly signature?: string | null
}

/** The header of an export. Version 1 had no signatures. */
export interface AuditFileHeader {
  /** The keys of the log, from the first to the current one. */
  readonly keys: readonly LogKeyStep[]
  readonly checkpoint: AuditCheckpoint | null
}

export type AuditLine =
  | ({ readonly kind: 'header' } & AuditFileHeader)
  | { readonly kind: 'row'; readonly row: AuditRow }
  | {
      readonly kind: 'end'
      readonly head: AuditHead
      readonly rows: number
      readonly signature: string | null
    }

const FORMAT = 'pml-audit'
const VERSION = 2
const MOST_KEYS = 100

export function printAuditHeader({ keys, checkpoint }: AuditFileHeader): string {
  const { seq, hash, at, signature = null } = checkpoint ?? {}
  return JSON.stringify({
    format: FORMAT,
    version: VERSION,
    keys: keys.map((step) => ({ key: step.key, signature: step.signature })),
    checkpoint: checkpoint && { seq, hash, at, signature },
  })
}

export function printAuditRow({ seq, at, actor, action, subject, detail, prev, hash }: AuditRow): string {
  return JSON.stringify({ seq, at, actor, action, subject, detail, prev, hash })
}

/** Detects a truncated export. */
export function printAuditEnd({ seq, hash }: AuditHead, rows: number, signature: string): string {
  return JSON.stringify({ head: { seq, hash }, rows, signature })
}

/** Prints a head as `seq:hash`. */
export function parseAuditHead(text: string): AuditHead {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (seq === undefined || hash === undefined)
    throw new PmlError('invalid_arguments', `Cannot read the head: expected <seq>:<64 hex characters>`)
  return { seq: Number(seq), hash }
}

/** Unknown members are refused: no hash covers them, so they could say anything. */
export function parseAuditLine(text: string): AuditLine {
  const value = membersOf(parseStrictJson(text, 'the line'), 'a line')
  if ('format' in value) return { kind: 'header', ...headerIn(value) }
  if ('head' in value) {
    const { signature = null, ...rest } = value
    const { head, rows } = exactly(rest, { head: headIn, rows: wholeNumber })
    return { kind: 'end', head, rows, signature: signatureIn(signature, 'signature') }
  }
  return { kind: 'row', row: exactly(value, rowMembers) }
}

type Read<Value> = (value: unknown, name: string) => Value

const rowMembers = {
  seq: wholeNumber,
  at: matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'a time in UTC with milliseconds'),
  actor: matching(/^/, 'text'),
  action: matching(/^/, 'text'),
  subject: matching(/^/, 'text'),
  detail: membersOf,
  prev: matching(/^[0-9a-f]{64}$/, '64 hex characters'),
  hash: matching(/^[0-9a-f]{64}$/, '64 hex characters'),
}

function headerIn(value: JsonObject): AuditFileHeader {
  const { seq, hash, at } = rowMembers
  const checkpointIn = (members: Record<string, Read<unknown>>) => (given: unknown, name: string) =>
    given === null ? null : (exactly(membersOf(given, name), members) as unknown as AuditCheckpoint)
  const format = only(FORMAT)
  if (value['version'] === 1) {
    const checkpoint = checkpointIn({ seq, hash, at })
    return { keys: [], checkpoint: exactly(value, { format, version: only(1), checkpoint }).checkpoint }
  }
  const checkpoint = checkpointIn({ seq, hash, at, signature: signatureIn })
  const { keys, ...rest } = exactly(value, { format, version: only(VERSION), keys: keysIn, checkpoint })
  return { keys, checkpoint: rest.checkpoint }
}

function keysIn(value: unknown, name: string): LogKeyStep[] {
  if (!Array.isArray(value) || value.length > MOST_KEYS)
    throw unreadable(name, `a list of at most ${MOST_KEYS}`, kindOf(value))
  const key = matching(/^.{1,400}$/, 'a log key')
  return value.map((step) => exactly(membersOf(step, name), { key, signature: signatureIn }))
}

function signatureIn(value: unknown, name: string): string | null {
  return value === null ? null : matching(/^[A-Za-z0-9+/]{91}=$/, 'a signature')(value, name)
}

function headIn(value: unknown, name: string): AuditHead {
  return exactly(membersOf(value, name), { seq: wholeNumber, hash: rowMembers.hash })
}

function exactly<Members extends Record<string, Read<unknown>>>(
  value: JsonObject,
  members: Members,
): { [Name in keyof Members]: ReturnType<Members[Name]> } {
  const extra = Object.keys(value).find((name) => !Object.hasOwn(members, name))
  if (extra !== undefined) throw unreadable(`'${extra.slice(0, 40)}'`, 'no such member', 'one')
  const read = Object.entries(members).map(([name, parse]) => [name, parse(value[name], name)])
  return Object.fromEntries(read)
}

function membersOf(value: unknown, name: string): JsonObject {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw unreadable(name, 'an object', kindOf(value))
  return value as JsonObject
}

function wholeNumber(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value) || Number(value) < 0)
    throw unreadable(name, 'a whole number', kindOf(value))
  return Number(value)
}

function matching(pattern: RegExp, expected: string): Read<string> {
  return (value, name) => {
    if (typeof value !== 'string' || !pattern.test(value)) throw unreadable(name, expected, kindOf(value))
    return value
  }
}

function only(expected: string | number): Read<string | number> {
  return (value, name) => {
    if (value !== expected) throw unreadable(name, String(expected), kindOf(value))
    return expected
  }
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  return (JSON.stringify(value) ?? typeof value).slice(0, 60)
}

function unreadable(what: string, expected: string, got: string): PmlError {
  return new PmlError('invalid_json', `Cannot read the line: ${what}: expected ${expected}, got ${got}`)
}
