import { z } from 'zod'
import { JsonSource } from './json-source.ts'
import { findGlobProblem, parsePathGlobs, plainPath, type PathGlobs } from './path-glob.ts'

/** Who decides about a kind of change, and how long a yes is good for. */
export interface ChangeType {
  readonly name: string
  /** `*` is every specialist. */
  readonly specialists: readonly string[]
  readonly expirySeconds: number
  /** After so many approvals of contents that one pattern would cover, the pattern is suggested. */
  readonly promoteAfter: number
}

export interface Webhook {
  readonly url: string
  readonly events: readonly WebhookEvent[]
  /** With `${NAME}` where a value of the environment belongs. */
  readonly secret: string
}

export type WebhookEvent = (typeof webhookEvents)[number]

/** What `config/approvals.json` says. */
export interface ApprovalConfig {
  readonly auditRetentionDays: number
  readonly webhooks: readonly Webhook[]
  /** All of them, `other` last. */
  readonly types: readonly ChangeType[]
  /** The first type that has a glob for the path; `other` where none has. */
  typeOf(path: string): ChangeType
  findType(name: string): ChangeType | undefined
}

export const OTHER_TYPE = 'other'
export const LONGEST_EXPIRY_SECONDS = 86_400
const webhookEvents = ['blocked', 'approved', 'rejected', 'used'] as const

const glob = z
  .string()
  .max(200)
  .superRefine((text, check) => {
    const message = findGlobProblem(text)
    if (message !== undefined) check.addIssue({ code: 'custom', message })
  })
const specialist = z
  .string()
  .regex(/^(?:\*|[A-Za-z][A-Za-z0-9 _-]{0,63})$/, 'expected the name of a specialist, or *')
const rules = {
  specialists: z.array(specialist).min(1).default(['*']).describe('Who decides; * is every specialist.'),
  expirySeconds: z
    .int()
    .min(1)
    .max(LONGEST_EXPIRY_SECONDS)
    .default(300)
    .describe('How long an approval is good for.'),
  promoteAfter: z
    .int()
    .min(2)
    .max(1000)
    .default(5)
    .describe('Approvals of contents that one pattern would cover, before the pattern is suggested.'),
}
const typeName = z.string().regex(/^(?!other$|any$)[a-z][a-z0-9_-]{0,31}$/, {
  error: 'expected a name of lower-case letters, digits, - and _ other than other and any',
})
const webhook = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'expected an http or https address' }),
  events: z.array(z.enum(webhookEvents)).min(1).default(['blocked', 'approved', 'rejected']),
  secret: z.string().regex(/^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/, {
    error: 'expected ${NAME}, the variable of the environment that holds the secret',
  }),
})

const schema = z.strictObject({
  $schema: z.string().optional(),
  _comment: z.string().optional(),
  types: z
    .record(typeName, z.strictObject({ paths: z.array(glob).min(1), ...rules }))
    .default({})
    .describe('Kinds of changes by path; the first type that has a glob for a path is its type.'),
  other: z.strictObject(rules).prefault({}).describe('What holds for paths that no type has a glob for.'),
  auditRetentionDays: z.int().min(1).max(3650).default(30).describe('How long the audit log reaches back.'),
  webhooks: z.array(webhook).max(20).default([]).describe('Who is told, by a signed request.'),
})

type Parsed = z.output<typeof schema>

/** One error names every problem in the file. */
export function parseApprovalConfig(text: string, file: string): ApprovalConfig {
  const source = new JsonSource(text, file)
  source.requireSound()
  const result = schema.safeParse(JSON.parse(source.text))
  for (const { path, message } of result.error?.issues ?? [])
    source.reportAt(path as (string | number)[], message)
  source.requireSound()
  if (!result.success) throw new Error('unreachable: what is wrong was reported')
  return configOf(result.data)
}

export const usualApprovalConfig: ApprovalConfig = configOf(schema.parse({}))

/** For the file that editors read. */
export function approvalConfigJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input' })
}

function configOf({ types, other, auditRetentionDays, webhooks }: Parsed): ApprovalConfig {
  const known: { readonly globs: PathGlobs; readonly type: ChangeType }[] = Object.entries(types).map(
    ([name, { paths, ...rest }]) => ({ globs: parsePathGlobs(paths), type: { name, ...rest } }),
  )
  const otherwise: ChangeType = { name: OTHER_TYPE, ...other }
  return {
    auditRetentionDays,
    webhooks,
    types: [...known.map(({ type }) => type), otherwise],
    typeOf: (path) => {
      const plain = plainPath(path)
      return known.find(({ globs }) => globs(plain))?.type ?? otherwise
    },
    findType: (name) =>
      name === OTHER_TYPE ? otherwise : known.find(({ type }) => type.name === name)?.type,
  }
}
