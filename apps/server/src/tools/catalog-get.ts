import { parseEntryReference } from '@pml/core'
import { mcpType, routing, visibility } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { fqdnOf, requireCurrent, type Entry } from '../catalog/entry.ts'
import { mediaTypeOf } from '../catalog/release.ts'
import { textOf } from '../wire/answer.ts'
import type { RegistryContext } from '../registry-tools.ts'
import { reference } from '../tool-parameters.ts'

export default defineTool({
  name: 'catalog_get',
  formerNames: ['mcp_get'],
  effect: 'read',
  input: z.object({ name: reference }),
  output: z.object({
    fqdn: z.string(),
    type: mcpType,
    routing,
    visibility,
    integrity: z.string(),
    mediaType: z.string(),
    content: z.string().describe('The module, or the document as JSON text'),
  }),
  run: async ({ registry: { entries }, actor }: RegistryContext, { name: text }) => {
    const { name, hash } = parseEntryReference(text)
    const entry = await entries.read(name, actor)
    requireCurrent(entry, hash)
    return outputs.get(entry) ?? outputOf(entry)
  },
})

/** Caches the printed output of entries, which are immutable. */
const outputs = new WeakMap<Entry, ReturnType<typeof printEntry>>()

function outputOf(entry: Entry) {
  if (!Object.isFrozen(entry)) return printEntry(entry)
  const output = Object.freeze(printEntry(entry))
  outputs.set(entry, output)
  return output
}

function printEntry(entry: Entry) {
  const { type, routing, visibility, integrity, body } = entry
  const content = textOf(body)
  return {
    fqdn: fqdnOf(entry),
    type,
    routing,
    visibility,
    integrity,
    mediaType: mediaTypeOf(type),
    content,
  }
}
