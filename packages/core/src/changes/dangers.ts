import type { Change } from './change.ts'
import type { ServerFinding } from './server-change.ts'
import { countInvisible } from './show-invisible.ts'

/** The kinds of dangerous changes that a reader must not miss. */
export type Danger = 'permissions' | 'imports' | 'network' | 'process' | 'obfuscation'

const order: readonly Danger[] = ['permissions', 'imports', 'network', 'process', 'obfuscation']

/** Terms of JavaScript, TypeScript, Python and shells, as hints for a reader. False alarms are acceptable, misses are not. */
const patterns: Readonly<Record<Danger, RegExp>> = {
  permissions:
    /--(?:allow|unsafe|unstable)[\w-]*|\bDeno\s*\.\s*permissions\b|\b(?:permissions?|grants?|allow)["']?\s*[:=]|\b(?:chmod|chown|setuid|setgid|sudo|doas)\b/gi,
  imports:
    /\bimport\b\s*(?:[\w{*"'`(.]|$)|\bfrom\s*["'][^"'\n]*["']|\brequire\s*\(|\bcreateRequire\b|\b(?:importScripts|__import__)\s*\(|\bimportlib\b|\b(?:npm|jsr|node):[\w@]/gm,
  network:
    /\bfetch\b|\bXMLHttpRequest\b|\bWebSocket\w*|\bEventSource\b|\bsendBeacon\b|\bDeno\s*\.\s*(?:connect|listen|serve|resolveDns|createHttpClient)\w*|["'](?:node:)?(?:https?|http2|net|tls|dgram|dns|undici|axios|got|node-fetch|ws)["']|\b(?:https?|wss?|ftp):\/\/[^\s"'`<>)]+|\b(?:requests|urllib\w*|httpx|aiohttp|socket|smtplib|ftplib)\b|\b(?:curl|wget|ncat|nc|ssh|scp)\s/g,
  process:
    /\bDeno\s*\.\s*(?:Command|run|kill|exit|dlopen|env)\b|\bchild_process\b|(?<![.\w])(?:exec|execFile|spawn|fork)(?:Sync)?\s*\(|\bprocess\s*\.\s*(?:env|exit|kill|binding|dlopen)\b|\bsubprocess\b|\bos\s*\.\s*(?:environ|system|popen|exec\w*|spawn\w*|fork|kill)\b|\bnew\s+Worker\b|\bffi\b/g,
  obfuscation:
    /\beval\b|\bnew\s+Function\b|\bFunction\s*\(|\batob\s*\(|\bfromC(?:har|odeP)\w*|\b(?:unescape|decodeURIComponent)\s*\(|(?:\\x[\da-f]{2}){4,}|(?:\\u\{?[\da-f]{2,6}\}?){4,}|[\w$]\\u\{?[\da-f]{2}|["'`][\w+/=-]{120,}|\bbase64\w*|\bb64decode\b|\b_0x[\da-f]{3,}|\b(?:Deno|globalThis|process|window|self)\s*(?:\?\.)?\s*\[|\bReflect\s*\./gi,
}

const LONGEST_LINE = 1000

/** Finds the dangers of new text by comparing the complete texts. */
export function dangersOfText(before: string, after: string): Danger[] {
  return order.filter(
    (kind) => hasMore(patterns[kind], before, after) || (kind === 'obfuscation' && hidesMore(before, after)),
  )
}

function hasMore(pattern: RegExp, before: string, after: string): boolean {
  const left = new Map<string, number>()
  for (const [found] of before.matchAll(pattern)) left.set(found, (left.get(found) ?? 0) + 1)
  for (const [found] of after.matchAll(pattern)) {
    const count = left.get(found) ?? 0
    if (count === 0) return true
    left.set(found, count - 1)
  }
  return false
}

function hidesMore(before: string, after: string): boolean {
  if (countInvisible(after) > countInvisible(before)) return true
  const known = new Set(before.split('\n'))
  return after.split('\n').some((line) => line.length > LONGEST_LINE && !known.has(line))
}

export function dangersOfChange({ code, fields, packages }: Change): Danger[] {
  const brought =
    packages && [packages.added, packages.bumped, packages.rehashed].some((list) => list.length > 0)
  return joinDangers(
    code?.dangers ?? [],
    brought ? ['imports'] : [],
    packages && packages.installScripts.length > 0 ? ['process'] : [],
    ...fields.map((field) => [
      ...dangersOfPath(field.path),
      ...dangersOfText(textOf(field.before), textOf(field.after)),
    ]),
  )
}

function textOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value)
}

function dangersOfPath(path: string): Danger[] {
  return joinDangers(
    /permission|grant|allow|scope/i.test(path) ? ['permissions'] : [],
    /package|version|integrity|lock|pinned/i.test(path) ? ['imports'] : [],
    /url|proxyTo|host|headers|routing/i.test(path) ? ['network'] : [],
    /command|args|env/i.test(path) ? ['process'] : [],
  )
}

export function dangersOfFinding({ kind, message }: ServerFinding): Danger[] {
  switch (kind) {
    case 'launch_changed':
      return joinDangers(['process'], dangersOfPath(message.split(' ')[0] ?? ''), dangersOfText('', message))
    case 'annotation_escalated':
      return ['permissions']
    case 'hidden_characters':
      return ['obfuscation']
    default:
      return []
  }
}

/** Unique, in a fixed order. */
export function joinDangers(...lists: readonly (readonly Danger[])[]): Danger[] {
  const found = new Set(lists.flat())
  return order.filter((kind) => found.has(kind))
}

/** The first line of every diff; it also names dangers in lines that are cut. */
export function printDangers(dangers: readonly Danger[]): string[] {
  return dangers.length === 0 ? [] : [`changes: ${dangers.join(', ')}`]
}
