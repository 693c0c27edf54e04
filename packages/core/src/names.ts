import { PmlError } from './errors.ts'

declare const name: unique symbol
declare const fqdn: unique symbol
declare const toolName: unique symbol

/** `org.project.namespace.action`, checked. */
export type Name = string & { readonly [name]: true }
/** A checked name, a dot and the hash that identifies one release. */
export type Fqdn = string & { readonly [fqdn]: true }
/** `namespace:action`, which permission and routing patterns match. */
export type ToolName = string & { readonly [toolName]: true }

/** How a caller names an entry: with a hash one release, without it the current one. */
export interface Reference {
  readonly name: Name
  readonly hash: string | undefined
}

const COMPONENT = '[A-Za-z_][A-Za-z0-9_-]{0,63}'
const NAME = `${COMPONENT}(?:\\.${COMPONENT}){3}`
const componentPattern = new RegExp(`^${COMPONENT}$`)
const namePattern = new RegExp(`^${NAME}$`)
const serverPattern = /^pml\.mcp\.([^.]+)\.server$/
const localPattern = /^local\.mcp\.([^.]+)\.server$/
const referencePattern = new RegExp(`^(${NAME})(?:\\.([A-Za-z0-9_-]+))?$`)

/** The longest text that messages repeat to a caller. */
const SHOWN_LENGTH = 80

export function parseName(text: string): Name {
  if (!namePattern.test(text)) throw invalid(text, '4 parts like org.project.namespace.action')
  return text as Name
}

export function isComponent(text: string): boolean {
  return componentPattern.test(text)
}

/** Parses four parts, or five with a hash. A hash that matches no release is still a valid reference. */
export function parseReference(text: string): Reference {
  const reference = findReference(text)
  if (!reference) throw invalid(text, '4 parts like org.project.namespace.action, or 5 with a hash')
  return reference
}

/** The same, or the plain name of a server of the registry. */
export function parseEntryReference(text: string): Reference {
  return isComponent(text) ? { name: serverName(text), hash: undefined } : parseReference(text)
}

export function findReference(text: string): Reference | undefined {
  const match = referencePattern.exec(text)
  return match ? { name: match[1] as Name, hash: match[2] } : undefined
}

export function printFqdn(name: Name, hash: string): Fqdn {
  return `${name}.${hash}` as Fqdn
}

export function orgOf(name: Name): string {
  return name.slice(0, name.indexOf('.'))
}

export function serverName(server: string): Name {
  return parseName(`pml.mcp.${server}.server`)
}

/** The server's own part of `pml.mcp.<server>.server`; other names belong to no server. */
export function findServer(name: Name): string | undefined {
  return serverPattern.exec(name)?.[1]
}

/** The org of servers that a file on this machine describes. No registry has names in it. */
export function localServerName(server: string): Name {
  return parseName(`local.mcp.${server}.server`)
}

/** The server's own part of `local.mcp.<server>.server`. */
export function findLocalServer(name: Name): string | undefined {
  return localPattern.exec(name)?.[1]
}

/** A name in this org exists on this machine only: it is never served, accepted or fetched. */
export function isLocal(name: Name): boolean {
  return orgOf(name) === 'local'
}

/** `ns:action`; for a server `<server>:*`, which means any of its tools. */
export function toolNameOf(name: Name): ToolName {
  const server = findServer(name) ?? findLocalServer(name)
  if (server !== undefined) return `${server}:*` as ToolName
  const action = name.lastIndexOf('.') + 1
  const namespace = name.lastIndexOf('.', action - 2) + 1
  return `${name.slice(namespace, action - 1)}:${name.slice(action)}` as ToolName
}

function invalid(text: string, expected: string): PmlError {
  return new PmlError('invalid_fqdn', `Cannot read name '${shown(text)}': expected ${expected}`)
}

function shown(text: string): string {
  const printable = text.replaceAll(/[^\x20-\x7e]/g, '\u{fffd}')
  return printable.length > SHOWN_LENGTH ? `${printable.slice(0, SHOWN_LENGTH)}…` : printable
}
