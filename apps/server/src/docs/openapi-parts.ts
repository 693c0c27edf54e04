import { errorTable } from '@pml/core'
import { z } from 'zod'

export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const json = (schema: object, description: string) => ({
  description,
  content: { 'application/json': { schema } },
})
export const fails = (...statuses: number[]) =>
  Object.fromEntries(statuses.map((status) => [status, json(ref('Error'), meaningOf(status))]))
export const inPath = (name: string, description: string, example: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  example,
  schema: { type: 'string' },
})
export const inQuery = (name: string, schema: object, description: string) => ({
  name,
  in: 'query',
  schema,
  description,
})
export const inHeader = (name: string, description: string) => ({
  name,
  in: 'header',
  schema: { type: 'string' },
  description,
})
export const withKey = [{ key: [] }]
export const withOrWithoutKey = [{}, { key: [] }]

/** The codes of the error table that share a status. */
function meaningOf(status: number): string {
  return Object.entries(errorTable)
    .filter(([, entry]) => entry.status === status)
    .map(([code]) => code)
    .join(', ')
}

export function schemaOf(schema: z.ZodType) {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest
}
