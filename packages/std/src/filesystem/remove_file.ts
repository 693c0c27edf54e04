import { lstat, realpath, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export const description = 'Removes one file or symbolic link, never a directory'

export const inputSchema = {
  type: 'object',
  properties: {
    path: {
      type: 'string',
      description: 'File to remove; of a symbolic link only the link itself is removed',
    },
    missingOk: {
      type: 'boolean',
      default: false,
      description: 'Whether a file that is not there is no error',
    },
  },
  required: ['path'],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'], write: ['.'] }

export default async function removeFile(args: {
  path: string
  missingOk?: boolean
}): Promise<{ removed: boolean }> {
  const { path, missingOk = false } = args
  if (typeof path !== 'string') {
    throw new Error(`Cannot remove file: expected path to be a string, got ${typeof path}`)
  }

  const place = await placeOf(path)
  if (place === undefined) {
    if (missingOk) return { removed: false }
    throw new Error(`Cannot remove file: '${path}' does not exist`)
  }
  if ((await lstat(place)).isDirectory()) {
    throw new Error(`Cannot remove file: expected '${path}' to be a file, got a directory`)
  }
  await unlink(place)
  return { removed: true }
}

/** The sandbox judges names, and a directory on the way may be a link that leads outside. */
async function placeOf(path: string): Promise<string | undefined> {
  try {
    const place = join(await realpath(dirname(path)), basename(path))
    await lstat(place)
    return place
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
