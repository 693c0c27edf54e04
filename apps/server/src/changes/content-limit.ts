import { requireWithin } from '../wire/read-body.ts'

const LIMIT_BYTES = 1024 * 1024

/** The bytes of content that is small enough to be read by somebody, and by every pattern. */
export function requireContent(content: string): Buffer {
  const bytes = Buffer.from(content)
  requireWithin(bytes.length, LIMIT_BYTES)
  return bytes
}
