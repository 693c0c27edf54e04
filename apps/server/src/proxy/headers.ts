import { VERSION } from '../version.ts'

/** What MCP over HTTP says in headers; whatever else a caller sends is between it and the registry. */
const forServers = /^(?:accept|content-type|last-event-id|mcp-[a-z0-9-]+)$/
/** `Allow` and `Retry-After` explain a status; the rest is for this hop, or would act in the registry's name. */
const forCallers = /^(?:content-type|allow|retry-after|mcp-[a-z0-9-]+)$/
/** About one connection or the framing of one message: never anybody's to set. */
const ofTheHop =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length)$/
const printable = /^[\t\x20-\x7e]*$/

/** What the entry says is sent as it says it, whatever the caller sent. Nothing compressed is asked for: it could not be searched. */
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

/** A header whose name holds a secret is left out; names come in lower case, so `hideInNames` looks for that. */
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
