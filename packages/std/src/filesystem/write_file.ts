import { Buffer } from 'node:buffer'
import { lstat, mkdir, realpath, writeFile as writeBytes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export const description =
  'Writes text or base64 bytes to a file, replacing what it held unless told otherwise'

export const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'File to write, absolute or relative to the working directory' },
    content: { type: 'string', description: 'What the file will hold' },
    encoding: {
      type: 'string',
      enum: ['utf8', 'base64'],
      default: 'utf8',
      description: 'Whether the content is text or base64 of the bytes',
    },
    overwrite: { type: 'boolean', default: true, description: 'Whether an existing file may be replaced' },
    createDirectories: {
      type: 'boolean',
      default: false,
      description: 'Whether missing parent directories are made',
    },
  },
  required: ['path', 'content'],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'], write: ['.'] }

export default async function writeFile(args: {
  path: string
  content: string
  encoding?: 'utf8' | 'base64'
  overwrite?: boolean
  createDirectories?: boolean
}): Promise<{ path: string; sizeBytes: number }> {
  const { path, content, encoding = 'utf8', overwrite = true, createDirectories = false } = args
  if (typeof path !== 'string') throw wrong('path to be a string', typeof path)
  if (typeof content !== 'string') throw wrong('content to be a string', typeof content)
  const bytes = encode(content, encoding)

  const real = await realOf(path)
  if (createDirectories) await mkdir(dirname(real), { recursive: true })
  await writeBytes(real, bytes, { flag: overwrite ? 'w' : 'wx' }).catch((error: { code?: string }) => {
    if (error.code === 'EEXIST') throw new Error(`Cannot write file: '${path}' exists and overwrite is false`)
    if (error.code === 'ENOENT')
      throw new Error(`Cannot write file: the directory of '${path}' does not exist`)
    throw error
  })
  return { path, sizeBytes: bytes.length }
}

/** Refuses what Buffer would silently drop or replace. */
function encode(content: string, encoding: string): Uint8Array {
  if (encoding === 'utf8') {
    if (!content.isWellFormed()) throw wrong('content to be well-formed Unicode', 'a lone surrogate')
    return Buffer.from(content, 'utf8')
  }
  if (encoding !== 'base64') throw wrong('encoding to be utf8 or base64', JSON.stringify(encoding))
  const bytes = Buffer.from(content, 'base64')
  if (bytes.toString('base64') !== content) throw wrong('content to be padded base64', 'other characters')
  return bytes
}

/** Where a path leads. The sandbox judges names, and a link that stands inside may lead outside. */
async function realOf(path: string): Promise<string> {
  return realpath(path).catch(async (error: { code?: string }) => {
    if (error.code !== 'ENOENT') throw error
    const isLink = await lstat(path).then(
      (info) => info.isSymbolicLink(),
      () => false,
    )
    if (isLink) throw new Error(`Cannot write file: '${path}' is a link that leads nowhere`)
    return join(await realOf(dirname(path)), basename(path))
  })
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot write file: expected ${expected}, got ${got}`)
}
