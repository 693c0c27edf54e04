import { extname } from 'node:path'
import { parseName } from '@pml/core'
import { readGivenFile } from '../../machine/files/read-plain-file.ts'
import { parseAnswer } from '../../registry/parse-answer.ts'
import { defineCommand } from '../command.ts'

/** The limit of the registry. */
const LIMIT_BYTES = 1024 * 1024

export default defineCommand({
  description: `Publish a file as the new release of a name: TypeScript, or a document that ends in .json.

## Examples

\`\`\`json
{"name": "acme.tools.text.shout", "file": "shout.ts"}
\`\`\`
`,
  effect: 'write',
  input: ({ z }) =>
    z.object({
      name: z.string().describe('org.project.namespace.action'),
      file: z.string().min(1),
      description: z.string().max(2000).optional(),
      routing: z.enum(['client', 'server']).optional(),
      visibility: z.enum(['public', 'private']).optional(),
    }),
  output: ({ z }) => z.looseObject({ fqdn: z.string(), integrity: z.string(), created: z.boolean() }),
  run: async ({ client }, { name: text, file, ...facts }) => {
    const { http, registry } = await client()
    const name = parseName(text)
    const body = readGivenFile('publish', file, LIMIT_BYTES)
    const query = new URLSearchParams()
    for (const [key, value] of Object.entries(facts)) if (value !== undefined) query.set(key, value)
    const type = extname(file) === '.json' ? 'application/json' : 'application/typescript'
    const path = `mcp/${name}${query.size > 0 ? `?${query.toString()}` : ''}`
    const { status, bytes } = await http.send(path, {
      method: 'PUT',
      body,
      headers: { 'content-type': type },
    })
    const answer = { isOk: status === 200 || status === 201, status, text: bytes.toString('utf8') }
    return parseAnswer(answer, registry.registry) as { fqdn: string; integrity: string; created: boolean }
  },
})
