import {
  integrityOf,
  packageSpecOf,
  routingFor,
  serverName,
  toolNameOf,
  type JsonObject,
  type Routing,
  type RoutingRules,
  type ServerConfig,
} from '@pml/core'
import { lockBytes, toolsDigest, type Pin } from '@pml/core/pins'
import { documentDraft, type ReleaseDraft, type ToolDefinition } from './release.ts'

/** Builds the release of a configured server: its command or URL, and its pin. */
export function serverDraft(
  server: ServerConfig,
  { pin, routes }: { pin: Pin | undefined; routes: RoutingRules },
): ReleaseDraft {
  const routing = routingFor(routes, toolNameOf(serverName(server.server)))
  const shared = { type: server.type, description: server.description, routing }
  const document =
    server.type === 'http'
      ? { ...shared, ...httpPart(server, routing) }
      : { ...shared, ...stdioPart(server, pin) }
  return documentDraft(document, {
    type: server.type,
    routing,
    routingChosen: true,
    schemas: pin ? definitionsOf(server, pin) : [],
  })
}

/** Includes headers only with routing `client`; with routing `server` the registry sends them itself. */
function httpPart({ url = '', headers, envRequired, tools }: ServerConfig, routing: Routing): JsonObject {
  const sent = routing === 'client' && Object.keys(headers).length > 0 ? { headers } : {}
  return { proxyTo: url, ...sent, envRequired, tools }
}

function stdioPart(server: ServerConfig, pin: Pin | undefined): JsonObject {
  const { command = '', args, envRequired, state, warnings } = server
  const reason = reasonAgainst(server, pin)
  const install = { command, args, envRequired, ...(state && { state: { ...state } }) }
  const rest = warnings ? { warnings } : {}
  if (pin === undefined || reason !== undefined)
    return { install, pinned: false, reason, tools: server.tools, ...rest }
  const integrity = integrityOf(lockBytes(pin))
  const pinned = {
    package: pin.package,
    version: pin.version,
    integrity: pin.integrity,
    lock: { integrity, url: `/blobs/${integrity}` },
    bin: pin.bin,
  }
  const digest = pin.tools ? { toolsDigest: toolsDigest(pin.tools) } : {}
  return {
    install: { ...install, ...pinned },
    pinned: true,
    tools: toolNames(server, pin),
    ...digest,
    ...rest,
  }
}

/** Returns why the pin does not apply to the configured server, or undefined if it does. */
function reasonAgainst(server: ServerConfig, pin: Pin | undefined): string | undefined {
  const wanted = packageSpecOf(server)
  if (!wanted)
    return `'${server.command}' does not start one package of an npm registry, so its content cannot be pinned`
  if (!pin) return `there is no config/pins/${server.server}.json; run "npm run pin -- ${server.server}"`
  if (pin.spec !== wanted.spec)
    return `the pin is for ${pin.spec}, the configuration asks for ${wanted.spec}; run "npm run pin -- ${server.server}"`
  return undefined
}

function toolNames(server: ServerConfig, pin: Pin): readonly string[] {
  return pin.tools ? pin.tools.map(({ name }) => `${server.server}:${name}`).toSorted() : server.tools
}

function definitionsOf(server: ServerConfig, pin: Pin): ToolDefinition[] {
  return (pin.tools ?? []).map(({ name, description, inputSchema, outputSchema, annotations }) => ({
    tool: `${server.server}:${name}`,
    description: description ?? '',
    inputSchema,
    outputSchema,
    annotations,
  }))
}
