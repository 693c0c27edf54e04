import { lstat, realpath, rename, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export const description = 'Writes a value to a JSON file in one step, so that no reader ever sees half of it'

export const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'JSON file to write; its directory must exist' },
    value: { description: 'Any JSON value' },
    indent: {
      type: 'integer',
      minimum: 0,
      maximum: 10,
      default: 2,
      description: 'Spaces per level; 0 for one line',
    },
  },
  required: ['path', 'value'],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'], write: ['.'] }

export default async function writeJson(args: {
  path: string
  value: unknown
  indent?: number
}): Promise<{ path: string; sizeBytes: number }> {
  const { path, value, indent = 2 } = args
  if (typeof path !== 'string') throw wrong('path to be a string', typeof path)
  if (value === undefined) throw wrong('value to be a JSON value', 'undefined')
  if (!Number.isInteger(indent) || indent < 0 || indent > 10)
    throw wrong('indent to be an integer from 0 to 10', indent)

  const text = `${JSON.stringify(value, null, indent)}\n`
  const real = await realOf(path)
  const draft = `${real}.${crypto.randomUUID()}.tmp`
  try {
    await writeFile(draft, text, { flag: 'wx' })
    await rename(draft, real)
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isMissing)
      throw new Error(`Cannot write JSON file: the directory of '${path}' does not exist`, { cause: error })
    throw error
  }
  return { path, sizeBytes: new TextEncoder().encode(text).length }
}

/** Where a path leads. The sandbox judges names, and a link that stands inside may lead outside. */
async function realOf(path: string): Promise<string> {
  return realpath(path).catch(async (error: { code?: string }) => {
    if (error.code !== 'ENOENT') throw error
    const isLink = await lstat(path).then(
      (info) => info.isSymbolicLink(),
      () => false,
    )
    if (isLink) throw new Error(`Cannot write JSON file: '${path}' is a link that leads nowhere`)
    return join(await realOf(dirname(path)), basename(path))
  })
}

function wrong(expected: string, got: unknown): Error {
  return new Error(`Cannot write JSON file: expected ${expected}, got ${got}`)
}
