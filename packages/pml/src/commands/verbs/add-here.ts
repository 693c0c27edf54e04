import { limitsOf } from '../../calls/call-parts.ts'
import { DENO_VERSION, installDeno } from '../../calls/deno/install-deno.ts'
import type { Client } from '../../calls/open-client.ts'
import { resolveReference } from '../../registry/resolve-reference.ts'
import { readPlainFile } from '../../machine/files/read-plain-file.ts'
import { holdLock } from '../../machine/hold-lock.ts'
import type { OwnContext } from '../own-tools.ts'
import { requireFolder } from '../../workspace/workspace-files.ts'
import { addEntries, type Added } from '../../calls/add-entries.ts'
import { initWorkspace } from './init-workspace.ts'

export interface AddOptions {
  readonly references: readonly string[]
  readonly ask: boolean
  readonly installDeno: boolean
}

type Context = Pick<OwnContext, 'client' | 'signal' | 'confirm' | 'screen'>

const CONFIG_LIMIT_BYTES = 1024 * 1024

/** `pml add`: begins a workspace where there is none, adds, and names what is still missing before it is done. */
export async function addHere(context: Context, { references, ask, installDeno: isWanted }: AddOptions) {
  const { client, signal } = context
  const parts = await client()
  const command = `pml add ${references.join(' ')}`
  const proof = await parts.person.refuseAgents({ what: 'add anything', command })
  // What cannot even be read begins nothing.
  for (const text of references) await resolveReference(parts, text)
  await beginWorkspace(parts)
  const options = { isAsked: ask, limits: limitsOf({ signal }), proof }
  const { added, approvals } = await addEntries(parts, references, options)
  const warnings = await settleDeno(context, parts, { added, isWanted })
  for (const warning of warnings) parts.tell(warning)
  const [only, ...more] = approvals
  if (only && more.length === 0 && added.length === 0) return { ...only }
  const shown = added.map(({ warnings: _said, ...rest }) => rest)
  return {
    approvalRequired: approvals.length > 0,
    added: shown,
    ...(warnings.length > 0 && { warnings }),
    ...(approvals.length > 0 && { approvals: [...approvals] }),
  }
}

/** What `pml init` writes, where nobody has run it. Others may begin it at the same moment. */
async function beginWorkspace({ files, isFrozen, settings, trust }: Client): Promise<void> {
  if (isFrozen || (await readPlainFile(files.config, CONFIG_LIMIT_BYTES))) return
  await requireFolder(files.state)
  await holdLock(files.lock, () => initWorkspace(files.root, { registry: settings.registry?.href, trust }))
}

/** Installs Deno if a person wants that, and gives what is still missing. */
async function settleDeno(
  { signal, confirm, screen }: Context,
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
