import { constants } from 'node:fs'
import { copyFile as copyBytes, lstat, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export const description = 'Copies one file to a new path'

export const inputSchema = {
  type: 'object',
  properties: {
    from: { type: 'string', description: 'File to copy' },
    to: { type: 'string', description: 'Path of the copy, not the directory to put it into' },
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

export default async function copyFile(args: {
  from: string
  to: string
  overwrite?: boolean
}): Promise<{ from: string; to: string; sizeBytes: number }> {
  const { from, to, overwrite = false } = args
  if (typeof from !== 'string')
    throw new Error(`Cannot copy file: expected from to be a string, got ${typeof from}`)
  if (typeof to !== 'string')
    throw new Error(`Cannot copy file: expected to to be a string, got ${typeof to}`)

  const source = await realpath(from).catch((error: { code?: string }) => {
    throw error.code === 'ENOENT' ? new Error(`Cannot copy file: '${from}' does not exist`) : error
  })
  const info = await stat(source)
  if (!info.isFile())
    throw new Error(`Cannot copy file: expected '${from}' to be a file, got a directory or device`)
  await copyBytes(source, await realOf(to), overwrite ? 0 : constants.COPYFILE_EXCL).catch(
    (error: { code?: string }) => {
      if (error.code === 'EEXIST') throw new Error(`Cannot copy file: '${to}' exists and overwrite is false`)
      if (error.code === 'ENOENT')
        throw new Error(`Cannot copy file: the directory of '${to}' does not exist`)
      throw error
    },
  )
  return { from, to, sizeBytes: info.size }
}

/** Where a path leads. The sandbox judges names, and a link that stands inside may lead outside. */
async function realOf(path: string): Promise<string> {
  return realpath(path).catch(async (error: { code?: string }) => {
    if (error.code !== 'ENOENT') throw error
    const isLink = await lstat(path).then(
      (info) => info.isSymbolicLink(),
      () => false,
    )
    if (isLink) throw new Error(`Cannot copy file: '${path}' is a link that leads nowhere`)
    return join(await realOf(dirname(path)), basename(path))
  })
}
