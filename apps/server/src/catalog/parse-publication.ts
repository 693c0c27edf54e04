import { PmlError, type Name } from '@pml/core'
import { requireWithin } from '../wire/read-body.ts'
import { parseJson } from '../wire/read-json.ts'
import type { Publication } from './publish.ts'

export const MODULE_LIMIT_BYTES = 1024 * 1024

export function parsePublication(
  { name, bytes, isDocument }: { name: Name; bytes: Uint8Array; isDocument: boolean },
  { description, routing, visibility }: Partial<Pick<Publication, 'description' | 'routing' | 'visibility'>>,
): Publication {
  if (bytes.length === 0) throw new PmlError('invalid_body', `Cannot publish ${name}: the body is empty`)
  requireWithin(bytes.length, MODULE_LIMIT_BYTES)
  const content = isDocument
    ? ({ kind: 'document', value: parseJson(bytes) } as const)
    : ({ kind: 'module', bytes } as const)
  return { content, description, routing, visibility }
}
