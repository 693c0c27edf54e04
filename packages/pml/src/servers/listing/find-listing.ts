import { join } from 'node:path'
import {
  findLocalServer,
  integrityOf,
  listingBytes,
  normalListing,
  parseStrictJson,
  PmlError,
  type LockedEntry,
  type ServerListing,
} from '@pml/core'
import { readPlainFile } from '../../machine/files/read-plain-file.ts'
import { findFolder, type WorkspaceFiles } from '../../workspace/workspace-files.ts'

/** The same limit as the cache. */
const LIMIT_BYTES = 64 * 1024 * 1024

export type ListingFiles = Pick<WorkspaceFiles, 'servers'>

/** The listing of a locked local server from its file; undefined if the file does not match the lock. */
export async function findListing(
  files: ListingFiles,
  { name, integrity }: LockedEntry,
): Promise<ServerListing | undefined> {
  const server = findLocalServer(name)
  if (server === undefined || !(await findFolder(files.servers))) return undefined
  const file = await readPlainFile(listingPath(files, server), LIMIT_BYTES).catch(() => undefined)
  return file && parseListing(file.bytes, integrity)
}

/** Undefined for anything but a listing with this integrity. */
export function parseListing(bytes: Uint8Array, integrity: string): ServerListing | undefined {
  try {
    const value = parseStrictJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), 'it')
    if (!isListing(value) || integrityOf(listingBytes(value)) !== integrity) return undefined
    return normalListing(value)
  } catch (error) {
    if (error instanceof PmlError || error instanceof TypeError) return undefined
    throw error
  }
}

export function listingPath({ servers }: ListingFiles, server: string): string {
  return join(servers, `${server}.json`)
}

/** Checks the shape, which the hash does not: a lockfile and a matching listing can be forged together. */
function isListing(value: unknown): value is ServerListing {
  const { launch, instructions, tools, ...others } = objectOf(value)
  if (Object.keys(others).length > 0 || !isLaunch(objectOf(launch))) return false
  if (instructions !== null && typeof instructions !== 'string') return false
  return Array.isArray(tools) && tools.every((tool) => isTool(objectOf(tool)))
}

function isLaunch({
  kind,
  command,
  args,
  env,
  cwd,
  url,
  headers,
  ...others
}: Record<string, unknown>): boolean {
  if (Object.keys(others).length > 0) return false
  if (kind === 'http') return typeof url === 'string' && isTexts(headers)
  const isPlace = cwd === null || typeof cwd === 'string'
  return kind === 'stdio' && typeof command === 'string' && isTexts(args) && isTexts(env) && isPlace
}

function isTool({ name, description, inputSchema }: Record<string, unknown>): boolean {
  const isDescribed = description === undefined || typeof description === 'string'
  return typeof name === 'string' && isDescribed && objectOf(inputSchema)['type'] === 'object'
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
