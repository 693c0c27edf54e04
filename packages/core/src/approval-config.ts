import { z } from 'zod'
import { JsonSource } from './json-source.ts'
import { findGlobProblem, parsePathGlobs, plainPath, type PathGlobs } from './path-glob.ts'

/** Who decides about a kind of change, and how long an approval is valid. */
export interface ChangeType {
  readonly name: string
  /** `*` is every specialist. */
  readonly specialists: readonly string[]
  readonly expirySeconds: number
  /** Accepted proofs that the approver is a person; empty: no proof needed. */
  readonly proof: readonly ProofKind[]
  /** The number of approvals that one pattern would cover before the pattern is suggested. */
  readonly promoteAfter: number
}

export interface Webhook {
  readonly url: string
  readonly events: readonly WebhookEvent[]
  /** May contain `${NAME}` for environment variables. */
  readonly secret: string
}

/** Limits on waiting and stored changes, per key and in total. */
export interface ChangeLimits {
  readonly openPerKey: number
  readonly open: number
  readonly megabytesPerKey: number
  readonly megabytes: number
}

/** How pml knows that a person gave an answer: the values of `Proof` in the client. */
export const proofKinds = ['agent-free', 'dialog', 'passkey', 'console', 'none'] as const
export type ProofKind = (typeof proofKinds)[number]

export type WebhookEvent = (typeof webhookEvents)[number]

/** The parsed `config/approvals.json`. */
export interface ApprovalConfig {
  readonly limits: ChangeLimits
  readonly auditRetentionDays: number
  readonly webhooks: readonly Webhook[]
  /** Ids of keys that may create approver keys after a change was blocked, even if they also created the key that asked. */
  readonly operators: readonly string[]
  /** All types; `other` is last. */
  readonly types: readonly ChangeType[]
  /** Returns the first type with a glob for the path, or `other`. */
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
    .describe('How long an approval is valid, in seconds.'),
  proof: z
    .array(z.enum(proofKinds).exclude(['none']))
    .default([])
    .describe('What a specialist must prove to be a person; any of these is enough. Empty: no proof.'),
  promoteAfter: z
    .int()
    .min(2)
    .max(1000)
    .default(5)
    .describe('Number of approvals that one pattern would cover before the pattern is suggested.'),
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

const limit = (usual: number, what: string) => z.int().min(1).max(10_000_000).default(usual).describe(what)

const schema = z.strictObject({
  $schema: z.string().optional(),
  _comment: z.string().optional(),
  types: z
    .record(typeName, z.strictObject({ paths: z.array(glob).min(1), ...rules }))
    .default({})
    .describe('Types of changes. The first type with a glob for the path applies.'),
  other: z.strictObject(rules).prefault({}).describe('Settings for paths without a type.'),
  auditRetentionDays: z.int().min(1).max(3650).default(30).describe('How many days audit events are kept.'),
  limits: z
    .strictObject({
      openPerKey: limit(2000, 'Open changes of one key.'),
      open: limit(20_000, 'Open changes of all keys.'),
      megabytesPerKey: limit(100, 'Stored content of one key, in megabytes.'),
      megabytes: limit(1000, 'Stored content of all keys, in megabytes.'),
    })
    .prefault({})
    .describe('Limits. A change beyond a limit is refused.'),
  operators: z
    .array(z.string().regex(/^[A-Za-z0-9-]{1,32}$/, 'expected the id of a key'))
    .max(100)
    .default([])
    .describe('Ids of admin keys that may make approver keys for changes that their own keys asked for.'),
  webhooks: z.array(webhook).max(20).default([]).describe('Receivers of signed notifications.'),
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

/** The shipped `config/approvals.json`: a registry without the file must not be less strict. */
export const builtInApprovalRules: z.input<typeof schema> = {
  types: {
    test: {
      paths: [
        '**/*.{test,spec}.*',
        '**/{test,tests,__tests__,spec,e2e}/**',
        '**/{test,tests}.*',
        '**/test_*.py',
        '**/*_test.{go,py,rb}',
      ],
      specialists: ['*'],
    },
    security: {
      paths: [
        '**/.env*',
        '**/.github/{workflows,hooks,copilot}/**',
        '**/.{claude,codex,cursor,gemini,opencode,windsurf,copilot}/**',
        '**/.pml.json',
        '**/.pml/**',
        '**/node_modules/{pml,@pml-registry}/**',
        '**/{claude-code,windsurf,github-copilot}/**',
      ],
      specialists: ['security-specialist', 'critical-engineer'],
    },
    architecture: { paths: ['**/migrations/**'], specialists: ['critical-engineer'] },
  },
  other: { specialists: ['*'], expirySeconds: 300, promoteAfter: 5 },
  auditRetentionDays: 30,
  webhooks: [],
}

/** The configuration without a file. */
export const usualApprovalConfig: ApprovalConfig = configOf(schema.parse(builtInApprovalRules))

/** The JSON Schema for editors. */
export function approvalConfigJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input' })
}

function configOf({ types, other, auditRetentionDays, limits, operators, webhooks }: Parsed): ApprovalConfig {
  const known: { readonly globs: PathGlobs; readonly type: ChangeType }[] = Object.entries(types).map(
    ([name, { paths, ...rest }]) => ({ globs: parsePathGlobs(paths), type: { name, ...rest } }),
  )
  const otherwise: ChangeType = { name: OTHER_TYPE, ...other }
  return {
    auditRetentionDays,
    limits,
    operators,
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
