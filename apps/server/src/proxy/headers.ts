import { VERSION } from '../version.ts'

/** What MCP over HTTP says in headers; whatever else a caller sends is between it and the registry. */
const forServers = /^(?:accept|content-type|last-event-id|mcp-[a-z0-9-]+)$/
/** `Allow` and `Retry-After` explain a status; the rest is for this hop, or would act in the registry's name. */
const forCallers = /^(?:content-type|content-encoding|allow|retry-after|mcp-[a-z0-9-]+)$/
/** About one connection or the framing of one message: never anybody's to set. */
const ofTheHop =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length)$/
const printable = /^[\t\x20-\x7e]*$/

/** What the entry says is sent as it says it, whatever the caller sent. */
export function headersForServer(
  sent: Headers,
  ownHeaders: Readonly<Record<string, string>>,
): Record<string, string> {
  const passed = [...sent].filter(([name]) => forServers.test(name))
  const own = Object.entries(ownHeaders)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !ofTheHop.test(name))
  const usual = { 'user-agent': `pml-registry/${VERSION}`, 'accept-encoding': 'identity' }
  return { ...usual, ...Object.fromEntries(passed), ...Object.fromEntries(own) }
}

export function headersForCaller(
  received: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const passed = Object.entries(received)
    .map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : (value ?? '')])
    .filter(([name = '', value = '']) => forCallers.test(name) && printable.test(value))
  return Object.fromEntries(passed)
}
