import { readGivenFile } from '../../machine/files/read-plain-file.ts'
import { readAnswer } from '../../registry/parse-answer.ts'
import { defineCommand } from '../command.ts'

interface Imported {
  readonly [member: string]: unknown
  readonly approvals: Record<string, unknown>
  readonly patterns: Record<string, unknown>
  readonly auditEvents: number
}

/** The limit of the registry. */
const LIMIT_BYTES = 16 * 1024 * 1024

export default defineCommand({
  description: `Import a registry file of hooks into the registry: its valid entries and its log.

## Examples

\`\`\`json
{"file": "approvals.json"}
\`\`\`
`,
  effect: 'write',
  input: ({ z }) => z.object({ file: z.string().min(1) }),
  output: ({ z }) =>
    z.looseObject({ approvals: z.looseObject({}), patterns: z.looseObject({}), auditEvents: z.int() }),
  run: async ({ client }, { file }) => {
    const { http, registry } = await client()
    const answer = await readAnswer(http, registry.registry, {
      path: 'approvals/import',
      method: 'POST',
      body: readGivenFile('import', file, LIMIT_BYTES),
      headers: { 'content-type': 'application/json' },
    })
    return answer as Imported
  },
})
