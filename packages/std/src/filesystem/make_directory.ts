import { lstat, mkdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export const description =
  'Makes a directory and its missing parents; one that exists already is left as it is'

export const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Directory to make, absolute or relative to the working directory' },
  },
  required: ['path'],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'], write: ['.'] }

export default async function makeDirectory(args: { path: string }): Promise<{ path: string }> {
  const { path } = args
  if (typeof path !== 'string') {
    throw new Error(`Cannot make directory: expected path to be a string, got ${typeof path}`)
  }

  try {
    await mkdir(await realOf(path), { recursive: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error
    throw new Error(`Cannot make directory: a file stands at '${path}' or at one of its parents`, {
      cause: error,
    })
  }
  return { path }
}

/** Where a path leads. The sandbox judges names, and a link that stands inside may lead outside. */
async function realOf(path: string): Promise<string> {
  return realpath(path).catch(async (error: { code?: string }) => {
    if (error.code !== 'ENOENT') throw error
    const isLink = await lstat(path).then(
      (info) => info.isSymbolicLink(),
      () => false,
    )
    if (isLink) throw new Error(`Cannot make directory: '${path}' is a link that leads nowhere`)
    return join(await realOf(dirname(path)), basename(path))
  })
}
