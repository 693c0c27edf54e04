import { findServer, packageSpecOf, PmlError } from '@pml/core'
import type { Approval } from '../api/approval.ts'
import { parseStdioDocument, type PinnedPackage, type StdioDocument } from '../workspace/documents.ts'
import type { StdioTarget } from '../mcp/mcp-session.ts'
import { printCommandLine } from '../mcp/print-command-line.ts'
import { askAboutKeys } from './ask-about-keys.ts'
import type { Call, CallParts } from './call-parts.ts'
import { dataFolderFor } from './data-folder.ts'
import {
  environmentFor,
  fillReferences,
  secretsIn,
  WORKSPACE,
  type Environment,
} from '../machine/environment.ts'
import { isAgreed } from '../workspace/consent.ts'
import { askAboutDependency, installPinned } from './pinned-tree.ts'

/** The command line that starts the server: from its pinned tree, or as it is written where it could not be pinned. */
export async function stdioTarget(parts: CallParts, call: Call): Promise<StdioTarget | Approval> {
  const { fetched } = call
  const document = parseStdioDocument(fetched)
  const names = document.envRequired.filter((name) => name !== WORKSPACE)
  const { root } = parts.files
  const declared: Environment = { ...parts.ops.env, [WORKSPACE]: root }
  const missing = await askAboutKeys(parts, { ...call, names })
  if (missing) return missing
  const fill = (text: string) =>
    fillReferences(text, Object.fromEntries(document.envRequired.map((name) => [name, declared[name]])))
  const given = await dataFolderFor(parts, {
    server: findServer(fetched.name) ?? fetched.name,
    state: document.state,
  })
  const env = { ...environmentFor(declared, document.envRequired), ...given.env }
  const secrets = secretsIn(parts.ops.env, names)
  if (document.pin)
    return pinnedTarget(parts, call, { document, pin: document.pin, fill, env, secrets, more: given.args })
  // What is shown and kept has the names of variables, not what is in them: that may be a secret.
  const shown = [...document.args.map((text) => text.replaceAll(`\${${WORKSPACE}}`, root)), ...given.args]
  const { command } = document
  const wanted = { kind: 'command', commandLine: printCommandLine({ command, args: shown }), names } as const
  if (!(await isAgreed(parts, fetched.name, wanted))) return askAboutDependency(parts, call, wanted)
  return {
    kind: 'stdio',
    command,
    args: [...document.args.map(fill), ...given.args],
    cwd: root,
    env,
    secrets,
  }
}

interface Pinned {
  readonly document: StdioDocument
  readonly pin: PinnedPackage
  readonly env: Record<string, string>
  readonly secrets: readonly string[]
  /** Arguments after those of the document. */
  readonly more: readonly string[]
  fill(text: string): string
}

/** The package's own file is started with this very Node; npx is never run. */
async function pinnedTarget(
  parts: CallParts,
  call: Call,
  { document, pin, env, secrets, more, fill }: Pinned,
): Promise<StdioTarget | Approval> {
  const { name } = call.fetched
  const wanted = { kind: 'pinned', ...pin } as const
  if (!(await isAgreed(parts, name, wanted))) return askAboutDependency(parts, call, wanted)
  const spec = packageSpecOf(document)
  if (!spec) throw new PmlError('tool_failed', `Cannot start ${name}: its command line is not one of npx`)
  const { binPath } = await installPinned(parts, call, pin)
  const args = [binPath, ...spec.args.map(fill), ...more]
  return { kind: 'stdio', command: parts.ops.execPath, args, cwd: parts.files.root, env, secrets }
}
