import { fillReferences, findServer, packageSpecOf, PmlError } from '@pml/core'
import type { Approval } from '../api/approval.ts'
import {
  parseStdioDocument,
  type PinnedPackage,
  type StdioDocument,
  parseHttpDocument,
} from '../workspace/documents.ts'
import type { StdioTarget, HttpTarget } from '../mcp/mcp-session.ts'
import { printCommandLine } from '../mcp/print-command-line.ts'
import type { Call, CallParts } from './call-parts.ts'
import { dataFolderFor } from './data-folder.ts'
import {
  environmentFor,
  secretsIn,
  WORKSPACE,
  type Environment,
  GATEWAY_TOKEN,
  missingIn,
  ownKeys,
} from '../machine/environment.ts'
import { isAgreed } from '../workspace/consent.ts'
import { askAboutDependency, installPinned } from './pinned-tree.ts'
import { isLoopback } from '@pml/core/loopback'
import { findRegistryError } from '../registry/parse-answer.ts'

/** How the server of a verified document is started or reached; a question where something for that is missing. */
export function serverTarget(parts: CallParts, call: Call): Promise<StdioTarget | HttpTarget | Approval> {
  return call.fetched.type === 'stdio' ? stdioTarget(parts, call) : httpTarget(parts, call)
}

/** The command line of the server: from its pinned tree, or as written if it could not be pinned. */
async function stdioTarget(parts: CallParts, call: Call): Promise<StdioTarget | Approval> {
  const { fetched } = call
  const document = parseStdioDocument(fetched)
  const names = document.envRequired.filter((name) => name !== WORKSPACE)
  const { root } = parts.files
  const declared: Environment = { ...parts.ops.env, [WORKSPACE]: root }
  const missing = await askAboutKeys(parts, { ...call, names })
  if (missing) return missing
  const fill = (text: string) =>
    fillReferences(text, (name) => (document.envRequired.includes(name) ? declared[name] : undefined))
  const given = await dataFolderFor(parts, {
    server: findServer(fetched.name) ?? fetched.name,
    state: document.state,
  })
  const env = { ...environmentFor(declared, document.envRequired), ...given.env }
  const secrets = secretsIn(parts.ops.env, names)
  if (document.pin)
    return pinnedTarget(parts, call, { document, pin: document.pin, fill, env, secrets, more: given.args })
  // The prompt and the consent have the names of variables and not their values, which may be secret.
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
  /** Arguments appended to those of the document. */
  readonly more: readonly string[]
  fill(text: string): string
}

/** Starts the package's own file with this Node; npx is never run. */
async function pinnedTarget(
  parts: CallParts,
  call: Call,
  { document, pin, env, secrets, more, fill }: Pinned,
): Promise<StdioTarget | Approval> {
  const { name } = call.fetched
  const wanted = { kind: 'pinned', ...pin } as const
  if (!(await isAgreed(parts, name, wanted))) return askAboutDependency(parts, call, wanted)
  const spec = packageSpecOf(document)
  if (!spec) throw new PmlError('tool_failed', `Cannot start ${name}: its command line does not start npx`)
  const { binPath } = await installPinned(parts, call, pin)
  const args = [binPath, ...spec.args.map(fill), ...more]
  return { kind: 'stdio', command: parts.ops.execPath, args, cwd: parts.files.root, env, secrets }
}

/** Asks for declared variables that the environment lacks; undefined if none is missing. */
async function askAboutKeys(
  { ops, approvals }: CallParts,
  {
    fetched: { name },
    operation,
    names,
  }: Pick<Call, 'fetched' | 'operation'> & { readonly names: readonly string[] },
): Promise<Approval | undefined> {
  const own = names.find((wanted) => ownKeys.includes(wanted))
  if (own !== undefined)
    throw new PmlError(
      'not_granted',
      `Cannot use ${name}: its document asks for ${own}, which ${own === GATEWAY_TOKEN ? 'opens this gateway' : 'is only for the registry'}; ask its publisher to use another name`,
    )
  const missing = missingIn(ops.env, names)
  if (missing.length === 0) return undefined
  const [it, is] = missing.length === 1 ? ['it', 'is'] : ['them', 'are']
  const description = `${name} needs ${missing.join(', ')}, which ${is} not set. Set ${it} in the environment that pml is started from; for a gateway under "env" of pml in the settings of its client, then start it again. The same call passes as soon as ${is === 'is' ? 'it is' : 'they are'} set.`
  return approvals.ask({ approvalType: 'api_key_required', fqdn: name, missing, description }, operation)
}

/** The status of a server without an event stream, which is no failure. */
const NO_STREAM = 405

/** The server's own address, or the registry's proxy if the registry keeps the secrets. */
async function httpTarget(parts: CallParts, call: Call): Promise<HttpTarget | Approval> {
  const { fetched } = call
  const { registry } = parts.registry
  if (fetched.routing === 'server') {
    const { apiKey } = parts
    if (apiKey === undefined)
      throw new PmlError(
        'unauthorized',
        `Cannot call ${call.tool}: it runs at the registry and needs a key with the scope proxy:${fetched.name}; set PML_API_KEY`,
      )
    const url = new URL(`proxy/${fetched.fqdn}`, registry)
    const headers = { authorization: `Bearer ${apiKey}` }
    return { kind: 'http', url, headers, secrets: [apiKey], fetch: registryFetch }
  }
  const document = parseHttpDocument(fetched)
  const missing = await askAboutKeys(parts, { ...call, names: document.envRequired })
  if (missing) return missing
  const values = new Map(document.envRequired.map((name) => [name, parts.ops.env[name] ?? '']))
  const fill = (text: string) => fillReferences(text, (name) => values.get(name))
  const headers = Object.entries(document.headers).map(([key, text]) => [key, fill(text)])
  // Encoded, so that a value can add neither a parameter nor a path segment.
  const url = parseTarget(
    fillReferences(document.proxyTo, (name) => encodeURIComponent(values.get(name) ?? '')),
    call,
  )
  const secrets = secretsIn(parts.ops.env, document.envRequired)
  return { kind: 'http', url, headers: Object.fromEntries(headers) as Record<string, string>, secrets }
}

/** Throws the registry's own errors; errors of the server behind it pass through. */
const registryFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  if (response.ok || response.status === NO_STREAM) return response
  const refusal = findRegistryError(await response.clone().text())
  if (refusal) throw refusal
  return response
}

/** The address is not repeated in the error: it may contain a secret. */
function parseTarget(text: string, { fetched: { name } }: Call): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw new PmlError('tool_failed', `Cannot call ${name}: expected an https address in its document`)
}
