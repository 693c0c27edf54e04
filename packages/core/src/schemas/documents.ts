import { z } from 'zod'
import { findNamedSecret } from '../secret-literals.ts'
import { findStateProblem } from '../server-state.ts'

/** The documents of servers that the registry serves, and those that may be published. */

export const mcpType = z.enum(['deno', 'stdio', 'http'])
export const routing = z.enum(['client', 'server'])
export const visibility = z.enum(['public', 'private'])

const envName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected an environment variable name')
  .max(128)
export const description = z
  .string()
  .max(2000)
  .regex(/^[^\0]*$/, 'expected text without NUL characters')
export const toolReference = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}:[A-Za-z0-9_.-]{1,128}$/, 'expected namespace:action')
const warnings = z.strictObject({ createsDotfiles: z.array(z.string().max(256)).max(32).optional() })

const state = z
  .strictObject({
    env: z.string().optional().describe('The variable that takes the path'),
    argument: z
      .string()
      .optional()
      .describe('The option that takes the path: as the next word, or after its ='),
    file: z.string().optional().describe('The path is that of this file in the folder, or of the folder'),
  })
  .check(({ value, issues }) => {
    const message = findStateProblem(value)
    if (message !== undefined) issues.push({ code: 'custom', message, input: value })
  })
  .describe(
    'How the server learns where to keep its own data, which a client gives a folder in the workspace',
  )

const proxyTo = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .refine(hasNoCredentials, 'expected a URL without credentials')

/** Values with `${NAME}` for secrets: the sender fills them in from its own environment. */
const headerTemplates = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'expected the name of an HTTP header')
      .max(128),
    z
      .string()
      .regex(/^[\t\x20-\x7e]*$/, 'expected one line of printable ASCII')
      .max(4096),
  )
  .refine((headers) => Object.keys(headers).length <= 32, 'expected at most 32 headers')
  .refine(
    (headers) => Object.entries(headers).every(([name, value]) => findNamedSecret(name, value) === undefined),
    'expected no secrets; write "${NAME}" in place of each',
  )

/** A document as an author writes it; the registry adds `fqdn`, `integrity` and whatever it knows about pins. */
export const publishedDocument = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('stdio'),
    description,
    routing: routing.optional(),
    install: z.strictObject({
      command: z.string().min(1).max(256),
      args: z.array(z.string().max(4096)).max(256).default([]),
      envRequired: z.array(envName).max(64).default([]),
      state: state.optional(),
    }),
    tools: z.array(toolReference).max(2000).default([]),
    pinned: z.literal(false).optional().describe('Set by the registry'),
    reason: z.string().max(500).optional().describe('Set by the registry'),
    warnings: warnings.optional(),
  }),
  z.strictObject({
    type: z.literal('http'),
    description,
    routing: routing.optional(),
    proxyTo,
    headers: headerTemplates.optional(),
    envRequired: z.array(envName).max(64).default([]),
    tools: z.array(toolReference).max(2000).default([]),
  }),
])
export type PublishedDocument = z.infer<typeof publishedDocument>

const served = { fqdn: z.string(), integrity: z.string(), description, routing, tools: z.array(z.string()) }

export const stdioDocument = z.object({
  ...served,
  type: z.literal('stdio'),
  install: z.object({
    command: z.string(),
    args: z.array(z.string()),
    envRequired: z.array(z.string()),
    state: state.optional(),
    package: z.string().optional(),
    version: z.string().optional(),
    integrity: z.string().optional().describe('sha512 of the package, as npm writes it'),
    lock: z.object({ integrity: z.string(), url: z.string() }).optional(),
    bin: z.string().optional().describe('The file to start, below the directory the lock was installed into'),
  }),
  pinned: z.boolean(),
  reason: z.string().optional().describe('Why the entry is not pinned'),
  toolsDigest: z.string().optional(),
  warnings: warnings.optional(),
})

export const httpDocument = z.object({
  ...served,
  type: z.literal('http'),
  proxyTo: z.string(),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('What to send along, with ${NAME} where a variable of the one who sends it belongs'),
  envRequired: z.array(z.string()),
})

/** Refinements also run on invalid URLs, which are already reported. */
function hasNoCredentials(text: string): boolean {
  if (!URL.canParse(text)) return true
  const url = new URL(text)
  return url.username === '' && url.password === ''
}
