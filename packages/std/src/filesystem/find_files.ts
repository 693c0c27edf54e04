import { readdir, realpath, stat } from 'node:fs/promises'

export const description = 'Finds files below a directory whose path matches a glob of *, ? and **'

export const inputSchema = {
  type: 'object',
  properties: {
    pattern: { type: 'string', description: 'Glob for the path below the directory, such as src/**/*.ts' },
    path: {
      type: 'string',
      default: '.',
      description: 'Directory to search; symbolic links are not followed',
    },
    skip: {
      type: 'array',
      items: { type: 'string' },
      default: ['.git', 'node_modules'],
      description: 'Names of directories that are not entered',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 10000,
      default: 1000,
      description: 'Most files to return',
    },
  },
  required: ['pattern'],
  additionalProperties: false,
} as const

export const permissions = { read: ['.'] }

export default async function findFiles(args: {
  pattern: string
  path?: string
  skip?: string[]
  limit?: number
}): Promise<{ files: string[]; truncated: boolean }> {
  const { pattern, path = '.', skip = ['.git', 'node_modules'], limit = 1000 } = args
  if (typeof pattern !== 'string') throw wrong('pattern to be a string', pattern)
  if (typeof path !== 'string') throw wrong('path to be a string', path)
  if (!Array.isArray(skip)) throw wrong('skip to be an array', skip)
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
    throw wrong('limit to be an integer from 1 to 10000', limit)

  const segments = pattern.split('/')
  const files: string[] = []
  // The sandbox judges names: with the name of where a link leads, a link cannot lead outside
  const root = await realpath(path).catch((error: { code?: string }) => {
    throw error.code === 'ENOENT' ? wrong('path to be a directory', path) : error
  })
  if (!(await stat(root)).isDirectory()) throw wrong('path to be a directory', path)
  for await (const file of walk(root, '', new Set(skip))) {
    if (!matches(segments, file.split('/'), '**', matchesSegment)) continue
    if (files.length === limit) return { files, truncated: true }
    files.push(file)
  }
  return { files, truncated: false }
}

/** In order of names, so that a truncated answer is the same every time. */
async function* walk(root: string, below: string, skip: ReadonlySet<string>): AsyncGenerator<string> {
  const folder = below === '' ? root : `${root}/${below}`
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: Error) => {
    // What the sandbox hides below the root is not there for this tool
    if (below !== '' && error.name === 'NotCapable') return []
    throw error
  })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isFile()) yield file
    else if (entry.isDirectory() && !skip.has(entry.name)) yield* walk(root, file, skip)
  }
}

function matchesSegment(pattern: string, name: string): boolean {
  return matches([...pattern], [...name], '*', (wanted, found) => wanted === '?' || wanted === found)
}

/** Goes back to the last star only, so the work is at most pattern times items whatever the pattern. */
function matches(
  pattern: readonly string[],
  items: readonly string[],
  star: string,
  same: (wanted: string, found: string) => boolean,
): boolean {
  let at = 0
  let item = 0
  let afterStar = -1
  let resume = 0
  while (item < items.length) {
    const wanted = pattern[at]
    if (wanted === star) {
      afterStar = ++at
      resume = item
    } else if (wanted !== undefined && same(wanted, items[item] ?? '')) {
      at++
      item++
    } else if (afterStar >= 0) {
      at = afterStar
      item = ++resume
    } else return false
  }
  while (pattern[at] === star) at++
  return at === pattern.length
}

function wrong(expected: string, got: unknown): Error {
  return new Error(`Cannot find files: expected ${expected}, got ${JSON.stringify(got)}`)
}
