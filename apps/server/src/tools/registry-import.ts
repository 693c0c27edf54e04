import { imported, registryFile } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { importRegistry } from '../changes/import-registry.ts'
import { parseBody } from '../wire/parse-body.ts'
import { parseJson } from '../wire/read-json.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'registry_import',
  effect: 'write',
  scope: 'admin',
  input: z.object({ content: z.string().min(1).describe('The text of a registry file of hooks') }),
  output: imported,
  run: ({ registry: { approvals }, actor }: RegistryContext, { content }) =>
    importRegistry(approvals, actor, parseBody(registryFile, parseJson(Buffer.from(content)))),
})
