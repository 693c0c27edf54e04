import { appendFile as appendText, lstat, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export const description = 'Adds text to the end of a file, which is created when it does not exist'

export const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'File to add to, absolute or relative to the working directory' },
    content: { type: 'string', description: 'Text to add' },
    newline: {
      type: 'boolean',
      default: false,
      description: 'Whether the added text shall end with a newline',
    },
  },
  required: ['path', 'content'],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'], write: ['.'] }

export default async function appendFile(args: {
  path: string
  content: string
  newline?: boolean
}): Promise<{ path: string; appendedBytes: number }> {
  const { path, content, newline = false } = args
  if (typeof path !== 'string') throw wrong('path to be a string', typeof path)
  if (typeof content !== 'string') throw wrong('content to be a string', typeof content)
  if (!content.isWellFormed()) throw wrong('content to be well-formed Unicode', 'a lone surrogate')

  const text = newline && !content.endsWith('\n') ? `${content}\n` : content
  await appendText(await realOf(path), text).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT')
      throw new Error(`Cannot append to file: the directory of '${path}' does not exist`)
    throw error
  })
  return { path, appendedBytes: new TextEncoder().encode(text).length }
}

/** Where a path leads. The sandbox judges names, and a link that stands inside may lead outside. */
async function realOf(path: string): Promise<string> {
  return realpath(path).catch(async (error: { code?: string }) => {
    if (error.code !== 'ENOENT') throw error
    const isLink = await lstat(path).then(
      (info) => info.isSymbolicLink(),
      () => false,
    )
    if (isLink) throw new Error(`Cannot append to file: '${path}' is a link that leads nowhere`)
    return join(await realOf(dirname(path)), basename(path))
  })
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot append to file: expected ${expected}, got ${got}`)
}
