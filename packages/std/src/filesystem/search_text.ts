import { readdir, readFile, realpath, stat } from 'node:fs/promises'

export const description =
  'Finds the lines that contain a literal text in a file or in all text files below a directory'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1, description: 'Text to look for, taken literally' },
    path: { type: 'string', default: '.', description: 'File, or directory that is searched to any depth' },
    endings: {
      type: 'array',
      items: { type: 'string' },
      default: [],
      description: 'Only files whose name ends with one of these, such as .ts; empty means all files',
    },
    ignoreCase: { type: 'boolean', default: false, description: 'Whether upper and lower case are the same' },
    limit: { type: 'integer', minimum: 1, maximum: 10000, default: 200, description: 'Most lines to return' },
  },
  required: ['text'],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'] }

const FILE_LIMIT_BYTES = 5_000_000
const SHOWN_LENGTH = 300
const SKIPPED = new Set(['.git', 'node_modules'])

type Match = { path: string; line: number; text: string }

export default async function searchText(args: {
  text: string
  path?: string
  endings?: string[]
  ignoreCase?: boolean
  limit?: number
}): Promise<{ matches: Match[]; truncated: boolean }> {
  const { text, path = '.', endings = [], ignoreCase = false, limit = 200 } = args
  if (typeof text !== 'string' || text === '') throw wrong('text to be a string that is not empty', text)
  if (typeof path !== 'string') throw wrong('path to be a string', path)
  if (!Array.isArray(endings)) throw wrong('endings to be an array', endings)
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
    throw wrong('limit to be an integer from 1 to 10000', limit)

  const fold = (line: string) => (ignoreCase ? line.toLowerCase() : line)
  const wanted = fold(text)
  const matches: Match[] = []
  // The sandbox judges names: with the name of where a link leads, a link cannot lead outside
  const root = await realpath(path).catch((error: { code?: string }) => {
    throw error.code === 'ENOENT' ? new Error(`Cannot search text: '${path}' does not exist`) : error
  })
  for await (const below of filesAt(root)) {
    if (endings.length > 0 && !endings.some((ending) => (root + below).endsWith(ending))) continue
    const lines = await linesOf(root + below).catch((error: Error) => {
      if (below !== '' && isHidden(error)) return []
      throw error
    })
    for (const [index, line] of lines.entries()) {
      if (!fold(line).includes(wanted)) continue
      if (matches.length === limit) return { matches, truncated: true }
      const shown = path === '.' ? below.slice(1) : path + below
      matches.push({ path: shown, line: index + 1, text: line.slice(0, SHOWN_LENGTH) })
    }
  }
  return { matches, truncated: false }
}

/** What to add to the root for each file: nothing when it is the file itself. */
async function* filesAt(root: string): AsyncGenerator<string> {
  const info = await stat(root)
  if (info.isFile()) yield ''
  else if (info.isDirectory()) yield* walk(root, '')
}

async function* walk(root: string, below: string): AsyncGenerator<string> {
  const entries = await readdir(root + below, { withFileTypes: true }).catch((error: Error) => {
    if (below !== '' && isHidden(error)) return []
    throw error
  })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${below}/${entry.name}`
    if (entry.isFile()) yield path
    else if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* walk(root, path)
  }
}

/** What the sandbox hides below the root is not there for this tool. */
function isHidden({ name }: Error): boolean {
  return name === 'NotCapable'
}

/** No lines for a file that is large or holds a NUL byte, which text does not. */
async function linesOf(path: string): Promise<string[]> {
  if ((await stat(path)).size > FILE_LIMIT_BYTES) return []
  const bytes = await readFile(path)
  return bytes.includes(0) ? [] : bytes.toString('utf8').split(/\r?\n/)
}

function wrong(expected: string, got: unknown): Error {
  return new Error(`Cannot search text: expected ${expected}, got ${JSON.stringify(got)}`)
}
