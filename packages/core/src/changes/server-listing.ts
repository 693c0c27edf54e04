import { canonicalJson, type JsonObject, type JsonValue } from '../canonical-json.ts'
import { isShallow } from './json.ts'
import type { ToolDefinition } from '../tool-definition.ts'

/** What a local server is and shows of itself: what a person trusts when the server is locked. */
export interface ServerListing {
  readonly launch: ListedLaunch
  readonly instructions: string | null
  readonly tools: readonly ToolDefinition[]
}

/** As it is written in its file: names of variables and headers, and never their values. */
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

/** What the integrity of a listing covers: its RFC 8785 form, tools in the order of names. Throws a TypeError where it has none. */
export function listingBytes(listing: ServerListing): Uint8Array {
  return encoder.encode(printListing(listing))
}

/** The same listing as it comes back from its bytes: nothing but JSON, in one order. */
export function normalListing(listing: ServerListing): ServerListing {
  return JSON.parse(printListing(listing)) as ServerListing
}

function printListing({ launch, instructions, tools }: ServerListing): string {
  const printed = tools.map((tool) => ({ name: tool.name, text: print(tool as JsonObject) }))
  // A tool may be listed twice: then its definitions have an order too.
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
