import type { Stats } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export const description = 'Tells whether a path exists and, if so, its type, size and time of last change'

export const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'File or directory to look at; a symbolic link is not followed' },
  },
  required: ['path'],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'] }

type FileInfo =
  | { exists: false }
  | { exists: true; type: 'file' | 'directory' | 'link' | 'other'; sizeBytes: number; modifiedAt: string }

export default async function fileInfo(args: { path: string }): Promise<FileInfo> {
  const { path } = args
  if (typeof path !== 'string') {
    throw new Error(`Cannot look at file: expected path to be a string, got ${typeof path}`)
  }

  const info = await lookAt(path).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (!info) return { exists: false }
  return { exists: true, type: typeOf(info), sizeBytes: info.size, modifiedAt: info.mtime.toISOString() }
}

/** The sandbox judges names, and a directory on the way may be a link that leads outside. */
async function lookAt(path: string): Promise<Stats> {
  return lstat(join(await realpath(dirname(path)), basename(path)))
}

function typeOf(info: Stats): 'file' | 'directory' | 'link' | 'other' {
  if (info.isFile()) return 'file'
  if (info.isDirectory()) return 'directory'
  return info.isSymbolicLink() ? 'link' : 'other'
}
