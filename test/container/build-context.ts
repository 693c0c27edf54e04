import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The last line that matches a path, or a folder above it, decides. */
export function createIgnore(text: string): (path: string) => boolean {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ ignored: !line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }))
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.ignored ?? false
}

/** The files in the build context, relative to the folder. */
export function contextFiles(folder: string): string[] {
  const isIgnored = createIgnore(readFileSync(join(folder, '.dockerignore'), 'utf8'))
  const below = (parent: string): string[] =>
    readdirSync(join(folder, parent), { withFileTypes: true }).flatMap((entry) => {
      const path = parent === '' ? entry.name : `${parent}/${entry.name}`
      // None of our lines re-includes something inside an excluded folder.
      if (isIgnored(path)) return []
      return entry.isDirectory() ? below(path) : [path]
    })
  return below('').sort()
}

function patternOf(line: string): RegExp {
  const source = line
    .replace(/^\/|\/$/g, '')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(
      /\*\*\/|\*\*|\*|\?/g,
      (wild) => ({ '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*' })[wild] ?? '[^/]',
    )
  return new RegExp(`^${source}(?:/.*)?$`, 's')
}
