import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

describe('the folders of', () => {
  it.each([
    'packages/core',
    'packages/tools',
    'packages/hooks',
    'packages/std',
    'packages/pml',
    'apps/server',
  ])('%s import each other in one direction', (folder) => {
    expect(findCycle(foldersIn(join(root, folder, 'src')))).toBeUndefined()
  })
})

describe('a cycle', () => {
  const graph = (edges: Record<string, string[]>) =>
    new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]))

  it('is found through several folders', () => {
    const edges = { a: ['b'], b: ['c', 'd'], c: ['a'], d: [] }
    expect(findCycle(graph(edges))).toEqual(['a', 'b', 'c', 'a'])
  })

  it('is not reported if two paths lead to the same folder', () => {
    expect(findCycle(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toBeUndefined()
  })
})

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Maps each folder to the folders it imports. A file beside the folders stands for itself; type imports count, because a reader
 * follows them too.
 */
function foldersIn(source: string): Graph {
  const graph = new Map<string, Set<string>>()
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  for (const file of files) {
    const folder = folderOf(file)
    const found = graph.get(folder) ?? new Set()
    graph.set(folder, found)
    for (const target of importsIn(join(source, file))) {
      const other = folderOf(relative(source, target))
      if (other !== folder) found.add(other)
    }
  }
  return graph
}

function folderOf(file: string): string {
  const folder = dirname(file)
  return folder === '.' ? file : folder
}

function importsIn(file: string): string[] {
  const specifiers = readFileSync(file, 'utf8').matchAll(
    /(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+\.ts)['"]/g,
  )
  return Array.from(specifiers, ([, path = '']) => join(dirname(file), path))
}

/** Returns the folders of one cycle, with the first one again at the end. */
function findCycle(graph: Graph): string[] | undefined {
  const done = new Set<string>()
  const visit = (folder: string, way: readonly string[]): string[] | undefined => {
    const at = way.indexOf(folder)
    if (at >= 0) return [...way.slice(at), folder]
    if (done.has(folder)) return undefined
    for (const next of graph.get(folder) ?? []) {
      const cycle = visit(next, [...way, folder])
      if (cycle) return cycle
    }
    done.add(folder)
    return undefined
  }
  for (const folder of graph.keys()) {
    const cycle = visit(folder, [])
    if (cycle) return cycle
  }
  return undefined
}
