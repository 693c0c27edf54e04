import { readFile as readBytes, realpath, stat } from 'node:fs/promises'

export const description =
  'Reads a whole file of at most 10 MB as text, or as base64 or hex when it is not text'

export const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'File to read, absolute or relative to the working directory' },
    encoding: {
      type: 'string',
      enum: ['utf8', 'utf-8', 'latin1', 'base64', 'hex'],
      default: 'utf8',
      description: 'How the bytes become the content that is returned',
    },
  },
  required: ['path'],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'] }

const LIMIT_BYTES = 10_000_000

type Encoding = 'utf8' | 'utf-8' | 'latin1' | 'base64' | 'hex'

export default async function readFile(args: {
  path: string
  encoding?: Encoding
}): Promise<{ path: string; content: string; encoding: Encoding; sizeBytes: number }> {
  const { path, encoding = 'utf8' } = args
  if (typeof path !== 'string') throw wrong('path to be a string', path)
  if (!inputSchema.properties.encoding.enum.includes(encoding)) {
    throw wrong(`encoding to be one of ${inputSchema.properties.encoding.enum.join(', ')}`, encoding)
  }

  // The sandbox judges names: with the name of where a link leads, a link cannot lead outside
  const real = await realpath(path).catch((error: { code?: string }) => {
    throw error.code === 'ENOENT' ? new Error(`Cannot read file: '${path}' does not exist`) : error
  })
  const info = await stat(real)
  if (!info.isFile())
    throw new Error(`Cannot read file: expected '${path}' to be a file, got a directory or device`)
  if (info.size > LIMIT_BYTES) {
    throw new Error(`Cannot read file: expected at most ${LIMIT_BYTES} bytes in '${path}', got ${info.size}`)
  }

  const bytes = await readBytes(real)
  const isText = encoding === 'utf8' || encoding === 'utf-8'
  const content = isText ? decode(path, bytes) : bytes.toString(encoding)
  return { path, content, encoding, sizeBytes: bytes.length }
}

/** Keeps a byte order mark, so that writing the content back gives the same file. */
function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Error(`Cannot read file: '${path}' is not UTF-8 text; use encoding base64`)
  }
}

function wrong(expected: string, got: unknown): Error {
  const shown = typeof got === 'string' ? `'${got}'` : got === null ? 'null' : typeof got
  return new Error(`Cannot read file: expected ${expected}, got ${shown}`)
}
