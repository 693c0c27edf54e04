import { parseEntryReference } from '@pml/core'
import { metadata } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { requireCurrent } from '../catalog/entry.ts'
import { readMetadata } from '../catalog/read-metadata.ts'
import type { RegistryContext } from '../registry-tools.ts'
import { reference } from '../tool-parameters.ts'

export default defineTool({
  name: 'catalog_show',
  formerNames: ['mcp_show'],
  cli: { name: 'history' },
  effect: 'read',
  input: z.object({ name: reference }),
  output: metadata,
  run: async ({ registry: { db, entries }, actor }: RegistryContext, { name: text }) => {
    const { name, hash } = parseEntryReference(text)
    requireCurrent(await entries.read(name, actor), hash)
    return readMetadata(db, actor, { name, hash })
  },
})
