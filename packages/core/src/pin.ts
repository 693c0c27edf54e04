import { canonicalJson } from './canonical-json.ts'
import { integrityOf, type Integrity } from './integrity.ts'
import { JsonSource } from './json-source.ts'
import { findPinProblems } from './pin-rules.ts'
import { pinSchema, type Pin, type ToolDefinition } from './schemas/pin.ts'

export type { LockEntry, Pin, PinLock, ToolDefinition } from './schemas/pin.ts'

const encoder = new TextEncoder()

/** A pin from the text of `file`, whose name must be the server's. Fails closed, naming every problem. */
export function parsePin(text: string, file: string): Pin {
  const source = new JsonSource(text, file)
  source.requireSound()
  const pin: unknown = JSON.parse(source.text)
  if (!isPin(pin, source)) throw new Error('unreachable: a pin of another shape was reported')
  if (serverOfFile(file) !== pin.server) source.reportAt(['server'], 'expected the name of its file')
  for (const { path, message } of findPinProblems(pin)) source.reportAt([...path], message)
  source.requireSound()
  return pin
}

/** One text for one pin. */
export function printPin(pin: Pin): string {
  const { $schema, server, spec, package: name, version, integrity, bin, lock, tools } = pin
  const sorted = tools === null ? null : sortTools(tools)
  const ordered = { $schema, server, spec, package: name, version, integrity, bin, lock, tools: sorted }
  return `${JSON.stringify(ordered, null, 2)}\n`
}

/** The package-lock.json that a client installs from. The registry serves these bytes; their hash is the lock's. */
export function lockBytes(pin: Pick<Pin, 'lock'>): Uint8Array {
  return encoder.encode(canonicalJson(pin.lock))
}

/** Changes when any part of any tool definition changes, and not with their order. */
export function toolsDigest(tools: readonly ToolDefinition[]): Integrity {
  return integrityOf(encoder.encode(canonicalJson(sortTools(tools))))
}

/** The same pin, whatever the order of members in its text. */
export function samePin(a: Pin, b: Pin): boolean {
  return canonicalJson(a) === canonicalJson(b)
}

export function sortTools<Tool extends { readonly name: string }>(tools: readonly Tool[]): Tool[] {
  return tools.toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
}

/** The value itself is kept, not a copy by the schema: members stay in the order of the text. */
function isPin(value: unknown, source: JsonSource): value is Pin {
  const { error } = pinSchema.safeParse(value)
  for (const { path, message } of error?.issues ?? []) source.reportAt(path.map(partOf), message)
  source.requireSound()
  return true
}

function partOf(part: PropertyKey): string | number {
  return typeof part === 'symbol' ? String(part) : part
}

function serverOfFile(file: string): string | undefined {
  return /([^/\\]+)\.json$/.exec(file)?.[1]
}
