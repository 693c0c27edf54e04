import { createReadStream } from 'node:fs'
import { realpath } from 'node:fs/promises'

export const description = 'Reads some lines of a text file of any size, counted from 1'

export const inputSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'File to read, absolute or relative to the working directory' },
    start: { type: 'integer', minimum: 1, default: 1, description: 'Number of the first line' },
    count: { type: 'integer', minimum: 1, maximum: 10000, default: 200, description: 'Most lines to read' },
  },
  required: ['path'],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'] }

const LIMIT_CHARACTERS = 10_000_000

export default async function readLines(args: {
  path: string
  start?: number
  count?: number
}): Promise<{ lines: string[]; atEnd: boolean }> {
  const { path, start = 1, count = 200 } = args
  if (typeof path !== 'string') throw wrong('path to be a string', typeof path)
  if (!Number.isInteger(start) || start < 1) throw wrong('start to be an integer from 1', start)
  if (!Number.isInteger(count) || count < 1 || count > 10_000)
    throw wrong('count to be an integer from 1 to 10000', count)

  const lines: string[] = []
  let number = 0
  let characters = 0
  for await (const line of linesOf(path)) {
    if (++number < start) continue
    if (lines.length === count) return { lines, atEnd: false }
    characters += line.length
    if (characters > LIMIT_CHARACTERS)
      throw wrong(`at most ${LIMIT_CHARACTERS} characters in these lines`, 'more')
    lines.push(line)
  }
  return { lines, atEnd: true }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunksOf(path)) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    if (rest.length > LIMIT_CHARACTERS)
      throw wrong(`lines of at most ${LIMIT_CHARACTERS} characters`, 'a longer one')
    for (const part of parts) yield part.endsWith('\r') ? part.slice(0, -1) : part
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  // The sandbox judges names: with the name of where a link leads, a link cannot lead outside
  const real = await realpath(path).catch(explain)
  const chunks: AsyncIterable<Uint8Array> = createReadStream(real)
  try {
    yield* chunks
  } catch (error) {
    explain(error)
  }

  function explain(error: unknown): never {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') throw new Error(`Cannot read lines: '${path}' does not exist`)
    if (code === 'EISDIR') throw new Error(`Cannot read lines: '${path}' is a directory`)
    throw error
  }
}

function wrong(expected: string, got: unknown): Error {
  return new Error(`Cannot read lines: expected ${expected}, got ${got}`)
}
