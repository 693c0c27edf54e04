import { PmlError } from '@pml/core'
import { isLoopback } from '@pml/core/loopback'
import type { Approval } from '../api/approval.ts'
import { parseHttpDocument } from '../workspace/documents.ts'
import type { HttpTarget } from '../mcp/mcp-session.ts'
import { askAboutKeys } from './ask-about-keys.ts'
import type { Call, CallParts } from './call-parts.ts'
import { fillReferences, secretsIn } from '../machine/environment.ts'
import { findRegistryError } from '../registry/parse-answer.ts'

/** A server that has no stream of its own says so by this status; it is no failure. */
const NO_STREAM = 405

/** The server itself, or the registry's way to it where the registry keeps the secrets. */
export async function httpTarget(parts: CallParts, call: Call): Promise<HttpTarget | Approval> {
  const { fetched } = call
  const { registry } = parts.registry
  if (fetched.routing === 'server') {
    const { apiKey } = parts
    if (apiKey === undefined)
      throw new PmlError(
        'unauthorized',
        `Cannot call ${call.tool}: the registry runs it for those who have a key with the scope proxy:${fetched.name}; set PML_API_KEY`,
      )
    const url = new URL(`proxy/${fetched.fqdn}`, registry)
    const headers = { authorization: `Bearer ${apiKey}` }
    return { kind: 'http', url, headers, secrets: [apiKey], fetch: registryFetch }
  }
  const document = parseHttpDocument(fetched)
  const missing = await askAboutKeys(parts, { ...call, names: document.envRequired })
  if (missing) return missing
  const values = Object.fromEntries(document.envRequired.map((name) => [name, parts.ops.env[name]]))
  const headers = Object.entries(document.headers).map(([key, text]) => [key, fillReferences(text, values)])
  // Encoded, a value stays in its place: it can add neither a parameter nor a path.
  const url = parseTarget(fillReferences(document.proxyTo, values, encodeURIComponent), call)
  const secrets = secretsIn(parts.ops.env, document.envRequired)
  return { kind: 'http', url, headers: Object.fromEntries(headers) as Record<string, string>, secrets }
}

/** What the registry itself refuses, it says in its own words; those of the server behind it are MCP's. */
const registryFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  if (response.ok || response.status === NO_STREAM) return response
  const refusal = findRegistryError(await response.clone().text())
  if (refusal) throw refusal
  return response
}

/** The address is not repeated: it may hold a secret by now. */
function parseTarget(text: string, { fetched: { name } }: Call): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw new PmlError('tool_failed', `Cannot call ${name}: expected an https address in its document`)
}
