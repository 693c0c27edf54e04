import { VERSION } from '../version.ts'

/** The headers of MCP over HTTP. Other request headers stay between the client and the registry. */
const forServers = /^(?:accept|content-type|last-event-id|mcp-[a-z0-9-]+)$/
/** `Allow` and `Retry-After` explain a status. Other response headers are hop-by-hop, or would act for the registry's origin. */
const forCallers = /^(?:content-type|allow|retry-after|mcp-[a-z0-9-]+)$/
/** Hop-by-hop and framing headers, which nobody may set. */
const ofTheHop =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length)$/
const printable = /^[\t\x20-\x7e]*$/

/** Builds the request headers; the entry's override the client's. Asks for no compression, because secrets are searched in plain bytes. */
export function headersForServer(
  sent: Headers,
  ownHeaders: Readonly<Record<string, string>>,
): Record<string, string> {
  const passed = [...sent].filter(([name]) => forServers.test(name))
  const own = Object.entries(ownHeaders)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !ofTheHop.test(name))
  const usual = { 'user-agent': `pml-registry/${VERSION}` }
  const sentOn = { ...usual, ...Object.fromEntries(passed), ...Object.fromEntries(own) }
  return { ...sentOn, 'accept-encoding': 'identity' }
}

/** Builds the response headers. Omits a header whose name contains a secret; names are in lower case. */
export function headersForCaller(
  received: Readonly<Record<string, string | string[] | undefined>>,
  { hide, hideInNames }: { hide: (text: string) => string; hideInNames: (text: string) => string },
): Record<string, string> {
  const passed = Object.entries(received)
    .map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : (value ?? '')])
    .filter(([name = '', value = '']) => forCallers.test(name) && printable.test(value))
    .filter(([name = '']) => hideInNames(name) === name)
    .map(([name, value = '']) => [name, hide(value)])
  return Object.fromEntries(passed)
}
