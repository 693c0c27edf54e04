import {
  findIntegrity,
  findStateProblem,
  PmlError,
  type Integrity,
  type JsonObject,
  type Name,
  type ServerState,
} from '@pml/core'

/** The parts of a stdio document that starting the server takes. */
export interface StdioDocument {
  readonly command: string
  readonly args: readonly string[]
  readonly envRequired: readonly string[]
  /** Absent if the server stores nothing. */
  readonly state: ServerState | undefined
  readonly tools: readonly string[]
  readonly toolsDigest: string | undefined
  /** Absent if the registry could not pin it. */
  readonly pin: PinnedPackage | undefined
}

export interface PinnedPackage {
  readonly package: string
  readonly version: string
  readonly lock: Integrity
  readonly bin: string
}

interface HttpDocument {
  readonly proxyTo: string
  readonly envRequired: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly tools: readonly string[]
}

type Source = { readonly name: Name; readonly bytes: Uint8Array }

export function parseStdioDocument(source: Source): StdioDocument {
  const document = objectIn(source)
  const install = objectOf(document['install'])
  const command = install['command']
  if (typeof command !== 'string' || command === '') throw invalid(source, 'install.command is not a string')
  return {
    command,
    args: textsOf(install['args']),
    envRequired: textsOf(install['envRequired']),
    state: stateOf(source, install['state']),
    tools: textsOf(document['tools']),
    toolsDigest: typeof document['toolsDigest'] === 'string' ? document['toolsDigest'] : undefined,
    pin: document['pinned'] === true ? pinOf(source, install) : undefined,
  }
}

export function parseHttpDocument(source: Source): HttpDocument {
  const document = objectIn(source)
  const { proxyTo } = document
  if (typeof proxyTo !== 'string') throw invalid(source, 'proxyTo is not a string')
  const headers = Object.entries(objectOf(document['headers'])).flatMap(([key, value]) =>
    typeof value === 'string' ? [[key, value] as const] : [],
  )
  return {
    proxyTo,
    envRequired: textsOf(document['envRequired']),
    headers: Object.fromEntries(headers),
    tools: textsOf(document['tools']),
  }
}

/** The tools that a document offers, whatever its type. */
export function toolsIn(bytes: Uint8Array): readonly string[] {
  return textsOf(tryObject(bytes)['tools'])
}

/** The description in a document. */
export function descriptionIn(bytes: Uint8Array): string {
  const { description } = tryObject(bytes)
  return typeof description === 'string' ? description : ''
}

/** The integrity of the package-lock.json that a document was pinned with, if any. */
export function findTreeLock(bytes: Uint8Array): Integrity | undefined {
  const { integrity } = objectOf(objectOf(tryObject(bytes)['install'])['lock'])
  return typeof integrity === 'string' ? findIntegrity(integrity) : undefined
}

function pinOf(source: Source, install: JsonObject): PinnedPackage {
  const lock = findTreeLock(source.bytes)
  const { package: name, version, bin } = install
  if (lock === undefined) throw invalid(source, 'it is pinned, but its lock has no integrity')
  if (typeof name !== 'string' || typeof version !== 'string' || typeof bin !== 'string')
    throw invalid(source, 'it is pinned, but package, version or bin is missing')
  return { package: name, version, lock, bin }
}

/** Decides where a server writes, so anything unclear is refused. */
function stateOf(source: Source, value: unknown): ServerState | undefined {
  if (value === undefined) return undefined
  const { env, argument, file } = objectOf(value)
  const texts = Object.entries({ env, argument, file }).filter(([, text]) => text !== undefined)
  if (!texts.every(([, text]) => typeof text === 'string'))
    throw invalid(source, 'install.state has a value that is not a string')
  const state: ServerState = Object.fromEntries(texts)
  const problem = findStateProblem(state)
  if (problem !== undefined) throw invalid(source, `install.state: ${problem}`)
  return state
}

function objectIn(source: Source): JsonObject {
  const document = tryObject(source.bytes)
  if (Object.keys(document).length === 0) throw invalid(source, 'it is not a JSON object')
  return document
}

function tryObject(bytes: Uint8Array): JsonObject {
  try {
    return objectOf(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return {}
  }
}

function objectOf(value: unknown): JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : {}
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

function invalid({ name }: Source, problem: string): PmlError {
  return new PmlError('tool_failed', `Cannot use ${name}: its document is invalid: ${problem}`)
}
