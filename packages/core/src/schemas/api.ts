import { z } from 'zod'
import { isScope } from '../scopes.ts'
import { mcpType, routing, toolReference, visibility } from './documents.ts'
import { wholeNumber } from './whole-number.ts'

export const errorBody = z.object({
  error: z.string().describe('A code from the closed error table'),
  message: z.string(),
  requestId: z.string().optional(),
})

export const searchText = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\0]*$/, 'expected text without NUL characters')

export const catalogQuery = z.strictObject({
  type: mcpType.optional().describe('How the entry is delivered'),
  routing: routing.optional().describe('Where the entry runs'),
  tool: toolReference.optional().describe('Only entries that offer this tool, as namespace:action'),
  q: searchText.optional().describe('Words to search for in names, descriptions and tools'),
  page: wholeNumber(1, 1_000_000_000).default(1).describe('The number of the page'),
  limit: wholeNumber(1, 100).default(50).describe('Entries per page'),
  cursor: z.string().max(400).optional().describe('nextCursor of an earlier response'),
})
export type CatalogQuery = z.infer<typeof catalogQuery>

const catalogItem = z.object({ fqdn: z.string(), type: mcpType, routing, description: z.string() })
export type CatalogItem = z.infer<typeof catalogItem>
export const catalogPage = z.object({
  items: z.array(catalogItem),
  total: z.int().describe('How many entries match'),
  totalIsExact: z.boolean().describe('False when total is an estimate'),
  page: z.int(),
  limit: z.int(),
  nextCursor: z.string().optional(),
})
export type CatalogPage = z.infer<typeof catalogPage>

export const metadata = z.object({
  fqdn: z.string(),
  name: z.string(),
  type: mcpType,
  routing,
  description: z.string(),
  tools: z.array(z.string()),
  integrity: z.string(),
  publishedAt: z.iso.datetime(),
  size: z.int().describe('Bytes that the integrity covers'),
  visibility,
  history: z.array(z.object({ fqdn: z.string(), integrity: z.string(), publishedAt: z.iso.datetime() })),
})
export type Metadata = z.infer<typeof metadata>

export const published = z.object({
  fqdn: z.string(),
  name: z.string(),
  integrity: z.string(),
  created: z.boolean().describe('False when the same content was already current'),
})

const scope = z.string().refine(isScope, {
  error: 'expected admin, hook, approve, pattern, publish:<pattern>, proxy:<pattern> or read:<org>',
})

export const newKey = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(100)
      .regex(/^[^\0]*$/, 'expected text without NUL characters'),
    scopes: z.array(scope).min(1).max(50),
    specialist: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9 _-]{0,63}$/, 'expected a name of letters, digits, spaces, - and _')
      .optional(),
    expiresInDays: z.number().positive().max(3650).optional(),
  })
  .refine((key) => !key.scopes.includes('approve') || key.specialist !== undefined, {
    path: ['specialist'],
    error: 'expected a specialist name, because the key has the scope approve',
  })
export type NewKey = z.infer<typeof newKey>

export const keyCreated = z.object({ id: z.string(), key: z.string().describe('Shown only here') })

export const keyList = z.object({
  keys: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      scopes: z.array(z.string()),
      specialist: z.string().nullable(),
      createdAt: z.iso.datetime(),
      expiresAt: z.iso.datetime().nullable(),
      lastUsedAt: z.iso.datetime().nullable(),
      revokedAt: z.iso.datetime().nullable(),
    }),
  ),
})
export type KeyList = z.infer<typeof keyList>
