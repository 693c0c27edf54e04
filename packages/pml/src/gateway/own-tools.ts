import { localServerName, PmlError, serverName } from '@pml/core'
import type { ToolDefinition } from '@pml/core/pins'
import type { Added, Opened } from '../api/pml.ts'
import type { Approval } from '../api/approval.ts'
import type { CallLimits } from '../calls/call-parts.ts'
import type { Client } from '../calls/open-client.ts'
import type { CatalogItem } from '../registry/registry-client.ts'
import type { ToolResult } from '../mcp/mcp-session.ts'
import { addInPassing } from '../calls/add-entries.ts'

type OwnTool = (
  client: Client,
  args: Readonly<Record<string, unknown>>,
  limits: CallLimits,
) => Promise<ToolResult | Added | Opened | Approval>

const MOST_FOUND = 20

/** The gateway's own tools, listed first. */
export const ownTools: readonly ToolDefinition[] = [
  {
    name: 'pml_add',
    description:
      'Add an MCP of the registry to this workspace, or start a server that a file of this project describes, so that its tools can be used. A person has to approve it.',
    inputSchema: {
      type: 'object',
      properties: {
        reference: {
          type: 'string',
          description: 'As pml_search names it: org.project.namespace.action, or the name of a server',
        },
      },
      required: ['reference'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  },
  {
    name: 'pml_search',
    description:
      'Find MCPs (servers, capabilities, mini tools) in the registry by what they do, and servers of this project that wait for approval.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'Words of the name or the description' } },
      required: ['query'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
]

const calls: Readonly<Record<string, OwnTool>> = {
  pml_add: (client, args, limits) =>
    addInPassing(client, { reference: textIn(args, 'reference', 'pml_add'), limits }),
  pml_search: async (client, args) => {
    const query = textIn(args, 'query', 'pml_search')
    const { items, note } = await findItems(client, query)
    const { entries } = await client.lock.read()
    const isLocked = (name: string) => entries.has(localServerName(name)) || entries.has(serverName(name))
    const waiting = (await client.servers())
      .list()
      .filter(({ name, isEnabled }) => isEnabled && !isLocked(name))
    const found = {
      entries: items.map(({ name, type, description }) => ({ reference: name, type, description })),
      // Their descriptions are not trusted yet.
      servers: waiting.map(({ name }) => ({ reference: name })),
      ...(note !== undefined && { note }),
    }
    return {
      content: [{ type: 'text', text: JSON.stringify(found) }],
      structuredContent: found,
      isError: false,
    }
  },
}

/** Entries of the registry, or a note that it is unavailable: servers of this project are found without it. */
async function findItems(
  { registry }: Client,
  query: string,
): Promise<{ items: readonly CatalogItem[]; note?: string }> {
  try {
    return { items: (await registry.list({ q: query })).slice(0, MOST_FOUND) }
  } catch (error) {
    if (error instanceof PmlError && error.code === 'unavailable') return { items: [], note: error.message }
    throw error
  }
}

export function findOwnTool(name: string): OwnTool | undefined {
  return Object.hasOwn(calls, name) ? calls[name] : undefined
}

function textIn(args: Readonly<Record<string, unknown>>, key: string, tool: string): string {
  const [stranger] = Object.keys(args).filter((one) => one !== key)
  const text = args[key]
  if (stranger !== undefined)
    throw new PmlError(
      'invalid_arguments',
      `Cannot call ${tool}: there is no parameter '${stranger.slice(0, 80)}'`,
    )
  if (typeof text === 'string' && text !== '' && text.length <= 400) return text
  throw new PmlError(
    'invalid_arguments',
    `Cannot call ${tool}: expected ${key}, a text of 1 to 400 characters`,
  )
}
