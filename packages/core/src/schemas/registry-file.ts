import { z } from 'zod'
import { changePath, changeProject, changeType, patternText } from './approvals.ts'

const text = z.string().max(20_000)
const hash = z.string().regex(/^(?:sha256[-:])?[0-9a-f]{64}$/i, 'expected sha256:<64 hex digits>')
const instant = z.iso
  .datetime({ offset: true })
  .refine((text) => text >= '1970', 'expected a time after 1970')

/** The file that hooks kept before there was a registry. Additional members are dropped. */
export const registryFile = z.object({
  version: z.string().regex(/^1(?:\.\d+)?$/, 'expected version 1.0'),
  one_time_approvals: z
    .record(
      z.string().max(400),
      z.object({
        content_hash: hash,
        blocked_file: changePath,
        project: changeProject.optional(),
        expires: instant,
        created: instant,
        used: z.boolean(),
        approved_by: text.min(1),
        reason: text,
        token_sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .optional()
          .describe('In place of the token, which is known to nobody'),
      }),
    )
    .default({})
    .describe('By token, or by the id of the change'),
  permanent_patterns: z
    .record(
      z.string().max(400),
      z.object({
        pattern: patternText,
        type: changeType,
        auto_approve: z.boolean().default(true),
        added_by: text,
        added_date: text,
        reason: text,
        usage_count: z.int().min(0).default(0),
        example: text.default(''),
      }),
    )
    .default({}),
  blocked_patterns: z
    .record(
      z.string().max(400),
      z.object({
        pattern: patternText,
        type: changeType,
        reason: text,
        added_by: text,
        added_date: text,
        example: text.default(''),
      }),
    )
    .default({}),
  audit_log: z
    .array(
      z.object({
        timestamp: instant,
        action: text,
        specialist: text.nullish(),
        token: text.nullish(),
        blocked_file: text.nullish(),
        reason: text.nullish(),
        outcome: text.nullish(),
      }),
    )
    .max(10_000)
    .default([]),
})
export type RegistryFile = z.infer<typeof registryFile>

export const imported = z.object({
  approvals: z.object({ imported: z.int(), skipped: z.int().describe('Used, expired, or there already') }),
  patterns: z.object({
    imported: z.int(),
    refused: z.array(z.object({ id: z.string(), problem: z.string() })),
  }),
  auditEvents: z.int(),
})
export type Imported = z.infer<typeof imported>
