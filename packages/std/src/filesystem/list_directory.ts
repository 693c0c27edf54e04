import type { Dirent } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'

export const description = 'Lists the entries of one directory by name, each with its type'

export const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', default: '.', description: 'Directory to list' },
    hidden: { type: 'boolean', default: true, description: 'Whether names that start with a dot are listed' },
  },
  required: [],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'] }

const LIMIT_ENTRIES = 10_000

type EntryType = 'file' | 'directory' | 'link' | 'other'

export default async function listDirectory(args: {
  path?: string
  hidden?: boolean
}): Promise<{ path: string; entries: { name: string; type: EntryType }[]; truncated: boolean }> {
  const { path = '.', hidden = true } = args
  if (typeof path !== 'string') {
    throw new Error(`Cannot list directory: expected path to be a string, got ${typeof path}`)
  }

  // The sandbox judges names: with the name of where a link leads, a link cannot lead outside
  const real = await realpath(path).catch(explain)
  const found = await readdir(real, { withFileTypes: true }).catch(explain)
  const entries = found
    .filter((entry) => hidden || !entry.name.startsWith('.'))
    .map((entry) => ({ name: entry.name, type: typeOf(entry) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return { path, entries: entries.slice(0, LIMIT_ENTRIES), truncated: entries.length > LIMIT_ENTRIES }

  function explain(error: { code?: string }): never {
    if (error.code === 'ENOENT') throw new Error(`Cannot list directory: '${path}' does not exist`)
    if (error.code === 'ENOTDIR') throw new Error(`Cannot list directory: '${path}' is not a directory`)
    throw error
  }
}

function typeOf(entry: Dirent): EntryType {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
