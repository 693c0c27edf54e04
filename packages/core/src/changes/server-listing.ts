import { canonicalJson, type JsonObject, type JsonValue } from '../canonical-json.ts'
import { isShallow } from './json.ts'
import type { ToolDefinition } from '../tool-definition.ts'

/** The launch, instructions and tools of a local server, which a person trusts when the server is locked. */
export interface ServerListing {
  readonly launch: ListedLaunch
  readonly instructions: string | null
  readonly tools: readonly ToolDefinition[]
}

/** As written in its file: names of variables and headers, never their values. */
export type ListedLaunch =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: readonly string[]
      /** Relative to the workspace; null for the workspace itself. */
      readonly cwd: string | null
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: readonly string[] }

const encoder = new TextEncoder()

/**
 * Returns the bytes that the integrity of a listing covers: its RFC 8785 form, tools sorted by name. Throws a TypeError if
 * there are none.
 */
export function listingBytes(listing: ServerListing): Uint8Array {
  return encoder.encode(printListing(listing))
}

/** Returns the listing as parsed from its bytes: plain JSON in a fixed order. */
export function normalListing(listing: ServerListing): ServerListing {
  return JSON.parse(printListing(listing)) as ServerListing
}

function printListing({ launch, instructions, tools }: ServerListing): string {
  const printed = tools.map((tool) => ({ name: tool.name, text: print(tool as JsonObject) }))
  // A tool may be listed twice, so its definitions are sorted too.
  const sorted = printed.sort((a, b) => compare(a.name, b.name) || compare(a.text, b.text))
  const list = sorted.map(({ text }) => text).join(',')
  return `{"instructions":${print(instructions)},"launch":${print({ ...launch })},"tools":[${list}]}`
}

function print(value: JsonValue): string {
  if (!isShallow(value)) throw new TypeError('Cannot write a listing: it is nested too deeply')
  return canonicalJson(value)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
