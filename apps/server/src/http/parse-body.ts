import { PmlError } from '@pml/core'
import type { z } from 'zod'

/** The value as the schema gives it back, or `invalid_body` with every problem and its place. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  const told = issues.map(({ path, message }) => `${path || 'body'}: ${message}`).join('; ')
  throw new PmlError('invalid_body', `Cannot read the body: ${told}`.slice(0, 1000), { issues })
}
