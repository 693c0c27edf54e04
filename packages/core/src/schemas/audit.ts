import { z } from 'zod'
import { searchText } from './api.ts'
import { wholeNumber } from './whole-number.ts'

const instant = z.iso
  .datetime({ offset: true, error: 'expected a time such as 2026-01-31T12:00:00Z' })
  .refine((text) => text >= '1970', 'expected a time after 1970')

export const auditFilters = {
  action: searchText.optional().describe('Only events of this kind, such as key.create'),
  actor: searchText.optional().describe('Only what this key did, by its id'),
  subject: searchText.optional().describe('Only what happened to this key, name or change'),
  since: instant.optional().describe('Only events at or after this time, such as 2026-01-31T12:00:00Z'),
  until: instant.optional().describe('Only events before this time'),
  q: searchText.optional().describe('Text to look for in everything that an event tells'),
  cursor: z.string().min(1).max(100).optional().describe('nextCursor of the answer before'),
}

export const auditQuery = z.strictObject({
  ...auditFilters,
  limit: wholeNumber(1, 100).default(50).describe('Events per page'),
})
export type AuditQuery = z.infer<typeof auditQuery>

const hash = z.string().describe('64 hex characters')

export const auditPage = z.object({
  events: z.array(
    z.object({
      id: z.int(),
      seq: z.int().optional().describe('Its place in the log, as soon as it has one'),
      at: z.iso.datetime(),
      actor: z.string(),
      action: z.string(),
      subject: z.string(),
      detail: z.record(z.string(), z.unknown()),
    }),
  ),
  nextCursor: z.string().optional(),
})
export type AuditPage = z.infer<typeof auditPage>

const logKeyText = z.string().describe('The public key of the log: <origin>+<key id>+<base64>')
const signatureText = z.string().describe('Base64 of the key id and the Ed25519 signature')

export const auditKeyAnswer = z.object({
  origin: z.string().describe('The name of the log'),
  key: logKeyText,
  pem: z.string().describe('The same key for openssl'),
  keys: z
    .array(z.object({ key: logKeyText, signature: signatureText.nullable() }))
    .describe('All keys the log has had; each is signed by the one before'),
})
export type AuditKeyAnswer = z.infer<typeof auditKeyAnswer>

export const auditHeadAnswer = z.object({
  seq: z.int().describe('How many events were ever sealed'),
  hash,
  pending: z.int().describe('Events that wait to be sealed'),
  key: logKeyText,
  signature: signatureText,
})
export type AuditHeadAnswer = z.infer<typeof auditHeadAnswer>

const finding = z.object({ seq: z.int().nullable(), problem: z.string() })

export const auditVerdict = z.object({
  ok: z.boolean(),
  rows: z.int(),
  firstSeq: z.int().nullable(),
  head: z.object({ seq: z.int(), hash }),
  problems: z.array(finding),
  problemsLeftOut: z.int(),
  warnings: z.array(finding),
  signedBy: z.string().nullable().describe('The pinned key, or its successor, that signed the head'),
  key: logKeyText,
  signature: signatureText.nullable().describe('For the head; null for a log that does not hold'),
})
