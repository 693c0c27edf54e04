import { addEntries, type Added } from '../../calls/add-entries.ts'
import { limitsOf } from '../../calls/call-parts.ts'
import { DENO_VERSION, installDeno } from '../../calls/deno/install-deno.ts'
import type { Client } from '../../calls/open-client.ts'
import { readPlainFile } from '../../machine/files/read-plain-file.ts'
import { holdLock } from '../../machine/hold-lock.ts'
import { resolveReference } from '../../registry/resolve-reference.ts'
import { requireFolder } from '../../workspace/workspace-files.ts'
import { printable } from '@pml/tools/cli'
import { defineCommand, type CommandContext } from '../command.ts'
import { initWorkspace } from '../init-workspace.ts'

const CONFIG_LIMIT_BYTES = 1024 * 1024

export default defineCommand({
  description: `Add entries to this workspace: fetch, lock and allow them, and install servers.

Packages are installed from the pinned tree; their install scripts never run. What an entry needs and this machine
lacks is named at the end: Deno, a program, a key.

## Examples

\`\`\`json
{ "references": ["filesystem", "memory"] }
\`\`\`

\`\`\`json
{ "references": ["pml.std.string.slugify"], "ask": true }
\`\`\`
`,
  cli: { rest: 'references' },
  effect: 'write',
  input: ({ z, reference }) =>
    z.object({
      references: z.array(reference).min(1).max(100),
      ask: z.boolean().default(false).describe('Ask before each use, instead of allowing it'),
      installDeno: z
        .boolean()
        .default(false)
        .describe('Install Deno from npm where it is needed and missing'),
    }),
  output: ({ approvable }) => approvable,
  run: async (context, { references, ask, installDeno: isWanted }) => {
    const parts = await context.client()
    const command = `pml add ${references.join(' ')}`
    const proof = await parts.person.refuseAgents({ what: 'add anything', command })
    // A name that cannot be resolved must not leave a new workspace behind.
    for (const text of references) await resolveReference(parts, text)
    await beginWorkspace(parts)
    const options = { isAsked: ask, limits: limitsOf({ signal: context.signal }), proof }
    const { added, approvals } = await addEntries(parts, references, options)
    const warnings = await settleDeno(context, parts, { added, isWanted })
    for (const warning of warnings) parts.tell(warning)
    const [only, ...more] = approvals
    if (only && more.length === 0 && added.length === 0) return { ...only }
    return {
      approvalRequired: approvals.length > 0,
      added: added.map(({ warnings: _told, ...rest }) => rest),
      ...(warnings.length > 0 && { warnings }),
      ...(approvals.length > 0 && { approvals: [...approvals] }),
    }
  },
  // After a person's answer the output is one entry instead of a list.
  print: ({ added }) => (Array.isArray(added) ? printAdded(added as Omit<Added, 'warnings'>[]) : undefined),
})

/** Does the same as `pml init` if necessary. Other processes may do so concurrently. */
async function beginWorkspace({ files, isFrozen, settings, trust }: Client): Promise<void> {
  if (isFrozen || (await readPlainFile(files.config, CONFIG_LIMIT_BYTES))) return
  await requireFolder(files.state)
  await holdLock(files.lock, () => initWorkspace(files.root, { registry: settings.registry?.href, trust }))
}

/** Installs Deno if a person wants that, and returns what is still missing. */
async function settleDeno(
  { signal, confirm, screen }: CommandContext,
  { ops, tell }: Client,
  { added, isWanted }: { added: readonly Added[]; isWanted: boolean },
): Promise<string[]> {
  const isForDeno = ({ type, warnings }: Added) => type === 'deno' && warnings.length > 0
  const others = added.filter((one) => !isForDeno(one)).flatMap(({ warnings }) => warnings)
  const [first] = added.filter(isForDeno).flatMap(({ warnings }) => warnings)
  if (first === undefined) return others
  const question = `Deno is needed and missing. Install deno ${DENO_VERSION} from npm for pml alone, without its install script?`
  if (!isWanted && !(screen && (await confirm(question))))
    return [...others, `${first}; or run "pml add" with --install-deno`]
  tell(`Installed Deno at ${await installDeno(ops, signal)}`)
  return others
}

function printAdded(added: readonly Omit<Added, 'warnings'>[]): string {
  return printable(added.map(({ fqdn, type, rule }) => `Added ${fqdn} (${type}), rule ${rule}\n`).join(''))
}
