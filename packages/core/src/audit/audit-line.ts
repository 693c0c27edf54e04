import type { JsonObject } from '../canonical-json.ts'
import { PmlError } from '../errors.ts'
import { parseStrictJson } from '../strict-json.ts'
import type { AuditHead, AuditRow } from './audit-row.ts'

/** Where an export begins when older rows were removed. */
export interface AuditCheckpoint extends AuditHead {
  readonly at: string
}

export type AuditLine =
  | { readonly kind: 'header'; readonly checkpoint: AuditCheckpoint | null }
  | { readonly kind: 'row'; readonly row: AuditRow }
  | { readonly kind: 'end'; readonly head: AuditHead; readonly rows: number }

const FORMAT = 'pml-audit'
const VERSION = 1

export function printAuditHeader(checkpoint: AuditCheckpoint | null): string {
  return JSON.stringify({ format: FORMAT, version: VERSION, checkpoint })
}

export function printAuditRow({ seq, at, actor, action, subject, detail, prev, hash }: AuditRow): string {
  return JSON.stringify({ seq, at, actor, action, subject, detail, prev, hash })
}

/** Without it, what ends early would look whole. */
export function printAuditEnd({ seq, hash }: AuditHead, rows: number): string {
  return JSON.stringify({ head: { seq, hash }, rows })
}

/** `seq:hash`, as a head is written down. */
export function parseAuditHead(text: string): AuditHead {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (seq === undefined || hash === undefined)
    throw new PmlError('invalid_arguments', `Cannot read the head: expected <seq>:<64 hex characters>`)
  return { seq: Number(seq), hash }
}

/** Members that no hash covers are refused: they could say anything. */
export function parseAuditLine(text: string): AuditLine {
  const value = membersOf(parseStrictJson(text, 'the line'), 'a line')
  if ('format' in value) return { kind: 'header', checkpoint: checkpointIn(value) }
  if ('head' in value) {
    const { head, rows } = exactly(value, { head: headIn, rows: wholeNumber })
    return { kind: 'end', head, rows }
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

function checkpointIn(value: JsonObject): AuditCheckpoint | null {
  const { checkpoint } = exactly(value, {
    format: only(FORMAT),
    version: only(VERSION),
    checkpoint: (given, name) => (given === null ? null : membersOf(given, name)),
  })
  const { seq, hash, at } = rowMembers
  return checkpoint && exactly(checkpoint, { seq, hash, at })
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
