/** A path with slashes, and without detours. Only `plainPath` makes one. */
export type PlainPath = string & { readonly [plain]: true }

declare const plain: unique symbol

/** Whether a path matches one of some globs. */
export type PathGlobs = (path: PlainPath) => boolean

/** `*` and `?` are within one folder, `**` across folders, `{a,b}` either. Case does not count. */
export function parsePathGlobs(globs: readonly string[]): PathGlobs {
  if (globs.length === 0) return () => false
  const isAnywhere = (glob: string) => glob.startsWith(ANYWHERE)
  // What may be in any folder is looked for in one go: most globs start so, and most paths match none.
  const anywhere = globs.filter(isAnywhere).map((glob) => sourceOf(glob.slice(ANYWHERE.length)))
  const others = globs.filter((glob) => !isAnywhere(glob)).map(sourceOf)
  const sources = anywhere.length === 0 ? others : [...others, `(?:.*/)?(?:${anywhere.join('|')})`]
  const expression = new RegExp(`^(?:${sources.join('|')})$`, 'isu')
  return (path) => expression.test(path)
}

/** As a file system takes it: backslashes count as slashes; `a/./b`, `a//b` and `a/x/../b` are `a/b`. */
export function plainPath(path: string): PlainPath {
  return withoutDetours(path.replaceAll('\\', '/')) as PlainPath
}

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

const ANYWHERE = '**/'
const part = /\*\*\/|\/\*\*$|\*\*|\*|\?|\{|\}|,|[.+^$()|]/g

function sourceOf(glob: string): string {
  return glob.replace(part, regexOf)
}

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
