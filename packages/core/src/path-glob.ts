/** A path with slashes, and without detours. Only `plainPath` makes one. */
export type PlainPath = string & { readonly [plain]: true }

declare const plain: unique symbol

/** Whether a path matches one of some globs. */
export type PathGlobs = (path: PlainPath) => boolean

/** `*` and `?` are within one folder, `**` across folders, `{a,b}` either. Case does not count. */
export function parsePathGlobs(globs: readonly string[]): PathGlobs {
  const [anywhere, rooted] = [globs.filter(isAnywhere), globs.filter((glob) => !isAnywhere(glob))]
  // What may be in any folder is looked for in one go: most globs start so, and most paths match none.
  const inAny =
    anywhere.length === 0 ? [] : [`(?:.*/)?(?:${anywhere.map((glob) => sourceOf(glob.slice(3))).join('|')})`]
  const checks = [...rooted.map(rootedGlob), ...inAny.map(matches)]
  return (path) => checks.some((check) => check(path))
}

function isAnywhere(glob: string): boolean {
  return glob.startsWith('**/')
}

/** Most paths do not even start as the glob does: then no expression is made. */
function rootedGlob(glob: string): PathGlobs {
  const wild = glob.search(/[*?{]/)
  const start = (wild < 0 ? glob : glob.slice(0, wild)).toLowerCase()
  const isAllBelow = wild > 0 && glob.slice(wild) === '**'
  const whole = matches(sourceOf(glob))
  return (path) => {
    if (!ascii.test(path) || !ascii.test(start)) return whole(path)
    const isStart = path.slice(0, start.length).toLowerCase() === start
    return isStart && (isAllBelow ? path.length >= start.length : whole(path))
  }
}

/** Letters beyond ASCII may be the same in other ways; to know of them makes an expression twice as slow to make. */
function matches(source: string): PathGlobs {
  const [plain, folding] = [lazily(`^${source}$`, 'is'), lazily(`^${source}$`, 'isu')]
  return (path) => (ascii.test(path) ? plain() : folding()).test(path)
}

const ascii = /^[ -~]*$/

function lazily(source: string, flags: string): () => RegExp {
  let made: RegExp | undefined
  return () => (made ??= new RegExp(source, flags))
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
