import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

const sources = ['packages/core', 'packages/tools', 'packages/hooks', 'packages/pml', 'apps/server'].map(
  (name) => `${name}/src`,
)

/** Files that are used as a whole: the tables of the database, what command files get, and what opencode loads. */
const wholes = [
  'apps/server/src/db/schema.ts',
  'packages/pml/src/commands/shapes.ts',
  'packages/hooks/src/agents/opencode/plugin.ts',
].map((file) => join(root, file))

it.each(sources)('every export of %s is imported by another file', (source) => {
  const entries = new Set([...entryPoints(), ...wholes])
  const unused = filesIn(join(root, source))
    .filter((file) => !file.endsWith('.test.ts') && !entries.has(file))
    .flatMap((file) => exportsOf(read(file)).map((name) => ({ file, name })))
    .filter(({ file, name }) => !uses().some((use) => use.file === file && use.names(name)))
  expect(unused.map(({ file, name }) => `${relative(root, file)}: ${name}`)).toEqual([])
})

it('reads exports of every form', () => {
  const source = [
    'export async function load() {}',
    'export interface Loaded {}',
    "export { one, two as three, type Four } from './other.ts'",
    'const hidden = 1',
  ].join('\n')
  expect(exportsOf(source)).toEqual(['load', 'Loaded', 'one', 'three', 'Four'])
})

it('reads imports of every form', () => {
  const source = [
    "import { one, type Two as Second } from './other.ts'",
    "const { three } = await import('./lazy.ts')",
  ].join('\n')
  const [other, lazy] = usesIn('/folder/file.ts', source)
  expect([other?.file, lazy?.file]).toEqual(['/folder/other.ts', '/folder/lazy.ts'])
  const names = ['one', 'Two', 'Second', 'three', 'four']
  expect(names.filter((name) => other?.names(name))).toEqual(['one', 'Two'])
  expect(names.filter((name) => lazy?.names(name))).toContain('three')
  expect(lazy?.names('four')).toBe(false)
})

/** An import or re-export of another file. */
interface Use {
  readonly file: string
  names(name: string): boolean
}

let known: readonly Use[] | undefined

function uses(): readonly Use[] {
  known ??= ['packages', 'apps', 'bench', 'scripts', 'test']
    .flatMap((folder) => filesIn(join(root, folder)))
    .flatMap((file) => usesIn(file, read(file)))
  return known
}

function usesIn(file: string, source: string): Use[] {
  const lists = source.matchAll(/^(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)'/gm)
  const wholes = source.matchAll(/\bimport\(\s*'(\.[^']+)'\s*\)|^import\s+\*[^']+'(\.[^']+)'/gm)
  return [
    ...Array.from(lists, ([, list = '', path = '']) => {
      const names = new Set(
        list.split(',').map(
          (part) =>
            part
              .trim()
              .replace(/^type\s+/, '')
              .split(' ')[0],
        ),
      )
      return { file: resolve(dirname(file), path), names: (name: string) => names.has(name) }
    }),
    // For a namespace import, the used names appear in the file.
    ...Array.from(wholes, ([, lazy, all = '']) => ({
      file: resolve(dirname(file), lazy ?? all),
      names: (name: string) => new RegExp(`\\b${name}\\b`).test(source),
    })),
  ]
}

function exportsOf(source: string): string[] {
  const own = source.matchAll(
    /^export\s+(?:declare\s+|abstract\s+|async\s+)*(?:function\*?|const|let|class|interface|type|enum)\s+(\w+)/gm,
  )
  const lists = source.matchAll(/^export\s+(?:type\s+)?\{([^}]*)\}/gm)
  return [
    ...Array.from(own, ([, name = '']) => name),
    ...Array.from(lists, ([, list = '']) => list.split(','))
      .flat()
      .map((part) => part.trim().split(' ').at(-1) ?? '')
      .filter(Boolean),
  ]
}

/** The files in a package's `exports`, whose exports are public. */
function entryPoints(): Set<string> {
  return new Set(
    ['packages', 'apps'].flatMap((folder) =>
      readdirSync(join(root, folder)).flatMap((name) => entriesOf(join(root, folder, name))),
    ),
  )
}

function entriesOf(folder: string): string[] {
  const { exports = {} } = JSON.parse(read(join(folder, 'package.json'))) as {
    exports?: Record<string, string | { 'pml-source'?: string }>
  }
  return Object.values(exports).flatMap((target) => {
    const source = typeof target === 'string' ? undefined : target['pml-source']
    return source === undefined ? [] : resolve(folder, source)
  })
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory())
      return /^(?:node_modules|dist|bundle|data)$/.test(entry.name) ? [] : filesIn(path)
    return /\.m?ts$/.test(entry.name) && !/\.d\.m?ts$/.test(entry.name) ? path : []
  })
}

function read(file: string): string {
  return readFileSync(file, 'utf8')
}
