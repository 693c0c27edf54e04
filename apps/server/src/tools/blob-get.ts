import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { parseBlobAddress, readBlob } from '../catalog/read-blob.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'blob_get',
  effect: 'read',
  input: z.object({ integrity: z.string().max(71).describe('sha256- and 64 lowercase hex characters') }),
  output: z.object({ integrity: z.string(), mediaType: z.string(), content: z.string() }),
  run: async ({ registry: { db }, actor }: RegistryContext, { integrity: text }) => {
    const integrity = parseBlobAddress(text)
    const { bytes, mediaType } = await readBlob(db, actor, integrity)
    return { integrity, mediaType, content: Buffer.from(bytes).toString() }
  },
})
