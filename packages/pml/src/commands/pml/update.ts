import type { Approval } from '../../api/approval.ts'
import { fetchEntry } from '../../registry/fetch-entry.ts'
import type { Parts } from '../../registry/parts.ts'
import { requireOfRegistry } from '../../registry/registry-client.ts'
import { resolveLocked } from '../../registry/resolve-reference.ts'
import { defineCommand } from '../command.ts'
import { findOutdated } from '../find-outdated.ts'

export default defineCommand({
  description: `Ask about every locked entry that has changed in the registry.

Each change is an approval of its own; nothing changes before it is answered.

## Examples

\`\`\`json
{}
\`\`\`

\`\`\`json
{"references": ["memory"]}
\`\`\`
`,
  cli: { rest: 'references' },
  effect: 'write',
  input: ({ z, reference }) =>
    z.object({
      references: z.array(reference).max(1000).default([]).describe('Entries to ask about; by default all'),
    }),
  output: ({ approvable }) => approvable,
  run: async ({ client }, { references }) => ({ ...(await updateEntries(await client(), references)) }),
})

interface Updating {
  readonly approvalRequired: boolean
  readonly approvals: readonly Approval[]
  /** Locked entries that are no longer in the registry. */
  readonly retired: readonly string[]
}

/** Asks about each entry that has changed. A single prompt is the whole answer, as after a fetch. */
async function updateEntries(parts: Parts, references: readonly string[]): Promise<Updating | Approval> {
  const wanted = new Set<string>()
  for (const text of references) {
    const { name } = await resolveLocked(parts, text)
    requireOfRegistry(name)
    wanted.add(name)
  }
  const outdated = (await findOutdated(parts)).filter(
    ({ entry }) => wanted.size === 0 || wanted.has(entry.name),
  )
  const approvals: Approval[] = []
  for (const { entry } of outdated.filter(({ current }) => current !== null)) {
    const operation = { kind: 'fetch', reference: entry.name } as const
    const found = await fetchEntry(
      parts,
      { name: entry.name, hash: undefined },
      { operation, isAskedAgain: true },
    )
    if (found.approvalRequired) approvals.push(found)
  }
  const retired = outdated.flatMap(({ locked, current }) => (current === null ? locked : []))
  const [only, ...more] = approvals
  if (only && more.length === 0) return only
  return { approvalRequired: approvals.length > 0, approvals, retired }
}
