import { readFile, realpath, stat } from 'node:fs/promises'

export const description = 'Reads a JSON file of at most 10 MB and returns its value'

export const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'JSON file to read, absolute or relative to the working directory' },
  },
  required: ['path'],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'] }

const LIMIT_BYTES = 10_000_000

export default async function readJson(args: { path: string }): Promise<{ value: unknown }> {
  const { path } = args
  if (typeof path !== 'string') {
    throw new Error(`Cannot read JSON file: expected path to be a string, got ${typeof path}`)
  }

  // The sandbox judges names: with the name of where a link leads, a link cannot lead outside
  const real = await realpath(path).catch((error: { code?: string }) => {
    throw error.code === 'ENOENT' ? new Error(`Cannot read JSON file: '${path}' does not exist`) : error
  })
  const info = await stat(real)
  if (!info.isFile()) throw new Error(`Cannot read JSON file: expected '${path}' to be a file`)
  if (info.size > LIMIT_BYTES) {
    throw new Error(
      `Cannot read JSON file: expected at most ${LIMIT_BYTES} bytes in '${path}', got ${info.size}`,
    )
  }

  // Editors on Windows put a byte order mark before the JSON text, which JSON.parse refuses
  const text = (await readFile(real, 'utf8')).replace(/^\uFEFF/, '')
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    throw new Error(`Cannot read JSON file: '${path}' is not JSON; json.parse tells where`, { cause: error })
  }
}
