import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'

export const description = 'Hashes a file of any size with SHA-256, SHA-512, SHA-1 or MD5'

export const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'File to hash, absolute or relative to the working directory' },
    algorithm: {
      type: 'string',
      enum: ['sha256', 'sha384', 'sha512', 'sha1', 'md5'],
      default: 'sha256',
      description: 'sha1 and md5 are only for old checksums, not for security',
    },
  },
  required: ['path'],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'] }

export default async function hashFile(args: {
  path: string
  algorithm?: 'sha256' | 'sha384' | 'sha512' | 'sha1' | 'md5'
}): Promise<{ hex: string; sizeBytes: number }> {
  const { path, algorithm = 'sha256' } = args
  if (typeof path !== 'string') throw wrong('path to be a string', typeof path)
  if (!inputSchema.properties.algorithm.enum.includes(algorithm)) {
    throw wrong(
      `algorithm to be one of ${inputSchema.properties.algorithm.enum.join(', ')}`,
      JSON.stringify(algorithm),
    )
  }
  // The sandbox judges names: with the name of where a link leads, a link cannot lead outside
  const real = await realpath(path).catch((error: { code?: string }) => {
    throw error.code === 'ENOENT' ? new Error(`Cannot hash file: '${path}' does not exist`) : error
  })
  const info = await stat(real)
  if (!info.isFile()) throw wrong(`'${path}' to be a file`, 'a directory or device')

  const hash = createHash(algorithm)
  const chunks: AsyncIterable<Uint8Array> = createReadStream(real)
  let sizeBytes = 0
  for await (const chunk of chunks) {
    hash.update(chunk)
    sizeBytes += chunk.length
  }
  return { hex: hash.digest('hex'), sizeBytes }
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot hash file: expected ${expected}, got ${got}`)
}
