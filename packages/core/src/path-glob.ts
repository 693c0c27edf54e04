/** A path with slashes, without `.` and `..`. Only `plainPath` makes one. */
export type PlainPath = string & { readonly [plain]: true }

declare const plain: unique symbol

/** Reports whether a path matches one of some globs. */
export type PathGlobs = (path: PlainPath) => boolean

/** `*` and `?` match within one folder, `**` across folders, `{a,b}` either. Case is ignored. */
export function parsePathGlobs(globs: readonly string[]): PathGlobs {
  const checks = globs.map(checkOf)
  return (path) => {
    const lower = loweredAscii(path)
    return checks.some((check) => check(path, lower))
  }
}

/** `lower` is the path in lower case, if it is ASCII. */
type GlobCheck = (path: PlainPath, lower: string | undefined) => boolean

/** Most paths lack the literal parts of the glob, so no expression is compiled. */
function checkOf(glob: string): GlobCheck {
  const plain = glob.toLowerCase()
  const literal = plain
    .split(wild)
    .reduce((longest, part) => (part.length > longest.length ? part : longest), '')
  const expression = lazily(() => new RegExp(`^${sourceOf(plain)}$`, 's'))
  // Case folding beyond ASCII needs a Unicode expression, which compiles slowly.
  const folding = lazily(() => new RegExp(`^${sourceOf(glob)}$`, 'isu'))
  const isAllBelow = plain.indexOf('*') === plain.length - 2 && plain.endsWith('/**') && !/[?{]/.test(plain)
  return (path, lower) => {
    if (lower === undefined) return folding().test(path)
    if (isAllBelow) return lower.startsWith(literal)
    return lower.includes(literal) && expression().test(lower)
  }
}

// `**/` also matches nothing, including its slash.
const wild = /\*\*\/|\*+|\?|\{[^}]*\}/

function lazily<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}

let lastPath = ''
let lastLowered: string | undefined = ''

/** Cached: many globs check the same path. */
function loweredAscii(path: string): string | undefined {
  if (path === lastPath) return lastLowered
  lastPath = path
  lastLowered = /^[ -~]*$/.test(path) ? path.toLowerCase() : undefined
  return lastLowered
}

/** Normalises like a file system: backslashes count as slashes; `a/./b`, `a//b` and `a/x/../b` are `a/b`. */
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

/** Returns why the glob is invalid, or undefined. */
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
