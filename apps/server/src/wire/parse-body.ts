import { PmlError } from '@pml/core'
import type { z } from 'zod'

/** More than a person fixes at once. */
const MOST_ISSUES = 20
const LONGEST_MESSAGE = 200

/** Returns the parsed value; throws `invalid_body` with the first problems and their paths. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.slice(0, MOST_ISSUES).map(({ path, message }) => ({
    path: path.join('.').slice(0, LONGEST_MESSAGE),
    message: message.slice(0, LONGEST_MESSAGE),
  }))
  const list = issues.map(({ path, message }) => `${path || 'body'}: ${message}`).join('; ')
  throw new PmlError('invalid_body', `Cannot read the body: ${list}`.slice(0, 1000), { issues })
}
