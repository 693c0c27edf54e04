import { findServer, packageSpecOf } from '@pml/core'
import type { ToolDefinition } from '@pml/core/pins'
import type { CallParts } from '../calls/call-parts.ts'
import { missingIn, WORKSPACE } from '../machine/environment.ts'
import { printCommandLine } from '../mcp/print-command-line.ts'
import { descriptionIn, parseHttpDocument, parseStdioDocument, toolsIn } from '../workspace/documents.ts'
import { findRelease } from '../registry/find-release.ts'
import { requireOfRegistry } from '../registry/registry-client.ts'
import { resolveReference } from '../registry/resolve-reference.ts'
import { withSuggestion } from '../registry/resolve-reference.ts'
import type { Release } from '../registry/verify-answer.ts'
import { readPinnedTools } from '../servers/listing/pinned-tools.ts'

interface ShownArgument {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

export interface ShownTool {
  readonly name: string
  readonly description: string
  /** Null if the entry does not list them. */
  readonly arguments: readonly ShownArgument[] | null
}

export interface ShownEntry {
  readonly fqdn: string
  readonly type: string
  readonly routing: string
  readonly description: string
  readonly locked: boolean
  /** What happens on this machine when the entry is used. */
  readonly runs: string
  readonly needs: readonly { readonly variable: string; readonly isSet: boolean }[]
  readonly keepsDataIn: string | null
  readonly tools: readonly ShownTool[]
}

/** Describes an entry before it is added. Locks and starts nothing. */
export async function showEntry(parts: CallParts, text: string): Promise<ShownEntry> {
  const wanted = await resolveReference(parts, text)
  requireOfRegistry(wanted.name)
  const locked = (await parts.lock.read()).entries.get(wanted.name)
  const release = await withSuggestion(parts, wanted.name, () =>
    findRelease(parts, { wanted, locked: parts.isOffline ? locked : undefined, approved: undefined }),
  )
  const { name, hash, type, routing, bytes } = release
  return {
    fqdn: `${name}.${hash}`,
    type,
    routing,
    description: type === 'deno' ? '' : descriptionIn(bytes),
    locked: locked?.integrity === release.integrity,
    ...needsOf(parts, release),
    tools: await toolsOf(parts, release),
  }
}

function needsOf({ ops }: CallParts, release: Release): Pick<ShownEntry, 'runs' | 'needs' | 'keepsDataIn'> {
  const needs = (names: readonly string[]) =>
    names.map((variable) => ({ variable, isSet: missingIn(ops.env, [variable]).length === 0 }))
  if (release.type === 'deno') return { runs: 'its code, in Deno', needs: [], keepsDataIn: null }
  if (release.type === 'http') {
    const { proxyTo, envRequired } = parseHttpDocument(release)
    return release.routing === 'server'
      ? {
          runs: `nothing here: the registry calls ${proxyTo}`,
          needs: needs(['PML_API_KEY']),
          keepsDataIn: null,
        }
      : { runs: `nothing here: calls go to ${proxyTo}`, needs: needs(envRequired), keepsDataIn: null }
  }
  const document = parseStdioDocument(release)
  const { pin, command, args, envRequired, state } = document
  const line = pin
    ? `node ${pin.bin} of ${pin.package} ${pin.version}, pinned${printArguments(packageSpecOf(document)?.args)}`
    : `${printCommandLine({ command, args })}, not pinned`
  return {
    runs: line,
    needs: needs(envRequired.filter((variable) => variable !== WORKSPACE)),
    keepsDataIn: state ? `.pml/state/${findServer(release.name) ?? release.name}` : null,
  }
}

function printArguments(args: readonly string[] = []): string {
  return args.length === 0 ? '' : `, with ${args.join(' ')}`
}

async function toolsOf(parts: CallParts, release: Release): Promise<ShownTool[]> {
  if (release.type === 'deno') return []
  const document = release.type === 'stdio' ? parseStdioDocument(release) : undefined
  const defined = document && (await readPinnedTools(parts, document))
  if (defined) return defined.map(toolOf)
  return toolsIn(release.bytes).map((tool) => ({
    name: tool.slice(tool.indexOf(':') + 1),
    description: '',
    arguments: null,
  }))
}

function toolOf({ name, description = '', inputSchema }: ToolDefinition): ShownTool {
  const { properties, required } = inputSchema as { properties?: unknown; required?: unknown }
  const names = Array.isArray(required) ? required : []
  const members = properties !== null && typeof properties === 'object' ? Object.entries(properties) : []
  return {
    name,
    description,
    arguments: members.map(([key, value]) => argumentOf(key, value, names.includes(key))),
  }
}

function argumentOf(name: string, value: unknown, required: boolean): ShownArgument {
  const { type, description } = (value ?? {}) as { type?: unknown; description?: unknown }
  return {
    name,
    type: Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any',
    required,
    description: typeof description === 'string' ? description : '',
  }
}
