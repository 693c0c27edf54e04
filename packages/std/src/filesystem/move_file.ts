import { lstat, realpath, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export const description = 'Moves or renames a file or directory within one file system'

export const inputSchema = {
  type: 'object',
  properties: {
    from: { type: 'string', description: 'What to move' },
    to: { type: 'string', description: 'Its new path, not the directory to put it into' },
    overwrite: {
      type: 'boolean',
      default: false,
      description: 'Whether a file at the new path may be replaced',
    },
  },
  required: ['from', 'to'],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'], write: ['.'] }

export default async function moveFile(args: {
  from: string
  to: string
  overwrite?: boolean
}): Promise<{ from: string; to: string }> {
  const { from, to, overwrite = false } = args
  if (typeof from !== 'string')
    throw new Error(`Cannot move file: expected from to be a string, got ${typeof from}`)
  if (typeof to !== 'string')
    throw new Error(`Cannot move file: expected to to be a string, got ${typeof to}`)

  const [source, target] = [await placeOf(from), await placeOf(to)]
  if (!source?.exists) throw new Error(`Cannot move file: '${from}' does not exist`)
  if (!target) throw new Error(`Cannot move file: the directory of '${to}' does not exist`)
  if (target.exists && !overwrite) throw new Error(`Cannot move file: '${to}' exists and overwrite is false`)
  await rename(source.path, target.path)
  return { from, to }
}

/** The sandbox judges names, and a directory on the way may be a link that leads outside. */
async function placeOf(path: string): Promise<{ path: string; exists: boolean } | undefined> {
  const directory = await realpath(dirname(path)).catch(isMissing)
  if (directory === undefined) return undefined
  const place = join(directory, basename(path))
  return { path: place, exists: (await lstat(place).catch(isMissing)) !== undefined }
}

function isMissing(error: { code?: string }): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
