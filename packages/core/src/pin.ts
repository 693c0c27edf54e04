import { canonicalJson } from './canonical-json.ts'
import { integrityOf } from './integrity-of.ts'
import type { Integrity } from './integrity.ts'
import { JsonSource } from './json-source.ts'
import { findPinProblems } from './pin-rules.ts'
import { isLock, isPin, type Pin, type PinLock, type ToolDefinition } from './schemas/pin.ts'

export type { LockEntry, Pin, PinLock, ToolDefinition } from './schemas/pin.ts'

type IsShape<Shape> = (
  value: unknown,
  report: (path: (string | number)[], message: string) => void,
) => value is Shape

const encoder = new TextEncoder()

/** Parses a pin from the text of `file`, which must be named like the server. Throws one error with every problem. */
export function parsePin(text: string, file: string): Pin {
  const source = new JsonSource(text, file)
  const pin = parseShape(source, isPin)
  if (serverOfFile(file) !== pin.server) source.reportAt(['server'], 'expected the name of its file')
  for (const { path, message } of findPinProblems(pin)) source.reportAt([...path], message)
  source.requireSound()
  return pin
}

/** Parses a package-lock.json without addresses. `parsePin` has the rules beyond its shape. */
export function parseLock(text: string, file: string): PinLock {
  return parseShape(new JsonSource(text, file), isLock)
}

/** Equal pins print as equal texts. */
export function printPin(pin: Pin): string {
  const { $schema, server, spec, package: name, version, integrity, bin, lock, tools } = pin
  const sorted = tools === null ? null : sortTools(tools)
  const ordered = { $schema, server, spec, package: name, version, integrity, bin, lock, tools: sorted }
  return `${JSON.stringify(ordered, null, 2)}\n`
}

/** The package-lock.json that a client installs from. The registry serves these bytes, and the lock's integrity covers them. */
export function lockBytes(pin: Pick<Pin, 'lock'>): Uint8Array {
  return encoder.encode(canonicalJson(pin.lock))
}

/** A digest that changes with any tool definition but not with their order. */
export function toolsDigest(tools: readonly ToolDefinition[]): Integrity {
  return integrityOf(toolsBytes(tools))
}

/** The text that `toolsDigest` covers. */
export function toolsBytes(tools: readonly ToolDefinition[]): Uint8Array {
  return encoder.encode(canonicalJson(sortTools(tools)))
}

/** The same pin with its members in a fixed order. */
export function samePin(a: Pin, b: Pin): boolean {
  return canonicalJson(a) === canonicalJson(b)
}

export function sortTools<Tool extends { readonly name: string }>(tools: readonly Tool[]): Tool[] {
  return tools.toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
}

function parseShape<Shape>(source: JsonSource, isShape: IsShape<Shape>): Shape {
  source.requireSound()
  const value: unknown = JSON.parse(source.text)
  if (isShape(value, (path, message) => source.reportAt(path, message))) return value
  source.requireSound()
  throw new Error('unreachable: a value of another shape was reported')
}

function serverOfFile(file: string): string | undefined {
  return /([^/\\]+)\.json$/.exec(file)?.[1]
}
