import { requireWithin } from '../wire/read-body.ts'

const LIMIT_BYTES = 1024 * 1024

/** Returns the content's bytes; throws if it is too large to review and match. */
export function requireContent(content: string): Buffer {
  const bytes = Buffer.from(content)
  requireWithin(bytes.length, LIMIT_BYTES)
  return bytes
}
