/** Whether a path matches: `*` and `?` within one folder, `**` across folders, `{a,b}` either. Case does not count. */
export type PathGlob = (path: string) => boolean

/** A glob means paths with slashes; backslashes of a path count as slashes, and a detour is not part of it. */
export function parsePathGlob(glob: string): PathGlob {
  const expression = new RegExp(`^${glob.replace(part, regexOf)}$`, 'isu')
  return (path) => expression.test(plainPath(path))
}

/** Of the path before: many globs are asked about one path, one after the other. */
let known = { path: '', plain: '' }

function plainPath(path: string): string {
  if (path !== known.path) known = { path, plain: withoutDetours(path.replaceAll('\\', '/')) }
  return known.plain
}

/** As a file system takes it: `a/./b`, `a//b` and `a/x/../b` are `a/b`. */
function withoutDetours(path: string): string {
  if (!/\/\/|(?:^|\/)\.\.?(?:\/|$)/.test(path)) return path
  const kept: string[] = []
  for (const part of path.split('/')) {
    if (part === '.' || (part === '' && kept.length > 0)) continue
    const before = kept.at(-1)
    if (part !== '..' || before === undefined || before === '..') kept.push(part)
    else if (before !== '') kept.pop()
  }
  return kept.join('/')
}

/** Why it is none; undefined when it is one. */
export function findGlobProblem(glob: string): string | undefined {
  if (glob === '') return 'expected a glob such as **/*.test.ts, got nothing'
  if (glob.includes('\\')) return 'expected slashes between folders, got a backslash'
  if (/[[\]!]/.test(glob)) return 'expected only * ? ** and {a,b}, got [ ] or !'
  return isBalanced(glob) ? undefined : 'expected each { to be closed by } before the next one'
}

const part = /\*\*\/|\/\*\*$|\*\*|\*|\?|\{|\}|,|[.+^$()|]/g

function regexOf(found: string, at: number, glob: string): string {
  const isInBraces = glob.lastIndexOf('{', at) > glob.lastIndexOf('}', at)
  const meanings: Record<string, string> = {
    '**/': '(?:.*/)?',
    '/**': '/.*',
    '**': '.*',
    '*': '[^/]*',
    '?': '[^/]',
    '{': '(?:',
    '}': ')',
    ',': isInBraces ? '|' : ',',
  }
  return meanings[found] ?? `\\${found}`
}

function isBalanced(glob: string): boolean {
  return /^[^{}]*(?:\{[^{}]*\}[^{}]*)*$/.test(glob)
}
