import { join, resolve } from 'node:path'
import type { HookEvent, McpCall, OtherCall } from '../event.ts'
import type { Finding } from '../finding.ts'
import type { ShellFacts } from '../shell/words/facts.ts'
import { findCommand } from '../writes/find-command.ts'
import { findInArguments, pathsInArguments } from './find-in-arguments.ts'
import { findOwnCommand, findOwnCommandIn, findOwnCommandInCode } from './find-own-command.ts'
import type { World } from '../world.ts'
import { callsOwnRoute, DECIDES, isDecidingTool, ROUTES } from './registry-calls.ts'

const LONGEST_SUBJECT = 200

interface OwnFacts {
  readonly world: World
  readonly shell: ShellFacts | undefined
}

/**
 * Finds what an agent would do in a person's place: answer, consent, approve, create or read keys. No policy can
 * turn this off.
 */
export function judgeOwn({ call, cwd }: HookEvent, { world, shell }: OwnFacts): Finding[] {
  if (!call) return []
  if (call.kind === 'shell') {
    const why = shell && findInShell(shell, { text: call.command, cwd, world })
    return why === undefined ? [] : [refusal(call.command, why)]
  }
  if (call.kind !== 'mcp' && call.kind !== 'other') return []
  const why = findInTool(call, { cwd, world, shell })
  return why === undefined ? [] : [refusal(call.tool, why)]
}

interface ToolPlace extends OwnFacts {
  readonly cwd: string
}

function findInTool(call: McpCall | OtherCall, { cwd, world, shell }: ToolPlace): string | undefined {
  const args = call.kind === 'mcp' ? call.args : call.input
  if (call.kind === 'mcp' && isDecidingTool(call.name, call.server)) return DECIDES
  const file = findKeyFile(
    pathsInArguments(args).map((path) => resolve(cwd, path)),
    world,
  )
  if (file !== undefined) return readsKey(file)
  const found = findInArguments(call.tool, args)
  const text = findCommand(call)
  if (found !== undefined || text === undefined || !shell) return found
  return findInShell(shell, { text, cwd, world })
}

const readsKey = (file: string) =>
  `${file} holds a key of pml, which lets its holder approve in the owner's name`

interface Line {
  readonly text: string
  readonly cwd: string
  readonly world: World
}

function findInShell(
  { commands, folders, code, given, writes }: ShellFacts,
  { text, cwd, world }: Line,
): string | undefined {
  const texts = [text, ...commands, ...code.map((inline) => inline.text)]
  if (texts.some((one) => TRUSTS.test(one))) return FOR_OPERATORS
  if (commands.some((line) => SETS_TRUST.test(line))) return FOR_OPERATORS
  const redirected = READS_KEY.exec(text)?.[1]
  if (redirected !== undefined) return readsKey(redirected)
  const made = writes.flatMap(({ path, content: { kind } }) =>
    path === undefined || kind === 'deleted' || kind === 'moved' ? [] : path,
  )
  for (const line of commands) {
    const own = findOwnCommand(line, { text, folders: folders.get(line) ?? [cwd], made })
    if (own.kind === 'guarded') return own.why
    if (own.kind === 'free' && MOVES.test(text))
      return 'it has pml look for your settings and agreements elsewhere'
    if (callsRegistry(line, text)) return DECIDES
    const file = isReader(line) ? findKeyFile(pathsOf(line, folders.get(line) ?? [cwd]), world) : undefined
    if (file !== undefined) return readsKey(file)
    const pattern = isReader(line) && line.includes('?') ? KEY_PATTERN.exec(text)?.[0] : undefined
    if (pattern !== undefined) return readsKey(pattern)
  }
  for (const inline of code) {
    const key = KEY_IN_CODE.exec(inline.text)?.[0]
    if (key !== undefined) return readsKey(key)
    const own = findOwnCommandInCode(inline.text)
    if (own.kind === 'guarded') return own.why
    if (ROUTES.test(inline.text) && /\bhttp|\bfetch|\brequest|\burl/i.test(inline.text)) return DECIDES
  }
  for (const one of given) {
    const own = findOwnCommandIn(one)
    if (own.kind === 'guarded') return own.why
  }
  if (SENDS.test(text) && ROUTES.test(text)) return DECIDES
  return undefined
}

/** `@data/admin-key` of curl and `HEAD:data/admin-key` of git also name the file; a folder stands for its content. */
function pathsOf(line: string, folders: readonly string[]): string[] {
  const words = line.split(' ').slice(1)
  const names = words.flatMap((word) =>
    word.startsWith('-') ? [] : [word, word.replace(/^(?:@|[^/:]*:)/, '')],
  )
  const inFolders = SEARCHERS.test(line)
    ? names.flatMap((name) => (/(?:^|\/)data\/?$/.test(name) ? KEYS.map((key) => join(name, key)) : []))
    : []
  return [...names, ...inFolders].flatMap((name) => folders.map((folder) => resolve(folder, name)))
}

const KEYS = ['admin-key', 'log-key']
const SEARCHERS = /^(?:\S*\/)?(?:[efu]?grep|rg|ag|ack|tar|zip|cp|rsync|7z)(?= )/
const KEY_IN_CODE = /\bdata\/(?:admin|log)-key\b/
const KEY_PATTERN = /\bdata\/[\w-]*[*?[][^\s'";|&]*/

const FOR_OPERATORS = 'PML_TRUST_WORKSPACE is for the operator of a CI'
const SETS_TRUST =
  /^(?:export|declare|typeset|local|readonly|read|mapfile|readarray|printf -v|getopts|let|setenv|set) (?:.* )?PML_TRUST_WORKSPACE\b/
/** The files in which pml keeps its user's decisions. */
const MOVES = /(?:^|[\s;&|('"])(?:HOME|XDG_CONFIG_HOME|XDG_STATE_HOME)=/
const SENDS = /\/dev\/(?:tcp|udp)\//
const TRUSTS = /\bPML_TRUST_WORKSPACE['"\])]*\s*[=:,]/
/** Redirections are not part of a command's words. */
const READS_KEY = /<\s*['"]?([^\s'"<>|;&]*\bdata\/(?:admin-key|log-key))\b/
const fetchers =
  /^(?:\S*\/)?(?:curl|wget|wget2|xh|xhs|http|https|httpie|aria2c|curlie|hurl|invoke-webrequest|invoke-restmethod|iwr|irm|nc|ncat|netcat|socat|telnet|openssl|websocat)(?:\.exe)?(?= |$)/i

/** Part of an address may be a variable; the source text shows the rest. */
function callsRegistry(line: string, text: string): boolean {
  return fetchers.test(line) && [line, text].some(callsOwnRoute)
}

/** Programs that print files. */
function isReader(line: string): boolean {
  return !/^(?:\S*\/)?(?:ls|stat|test|\[|git (?!show|cat-file|grep|diff|log)\S+|mkdir|touch|rm|chmod|chown|find|fd|tree|du|wc|file|docker|docker-compose)(?= |$)/.test(
    line,
  )
}

function refusal(subject: string, why: string): Finding {
  const shown = subject.replaceAll(/\s+/g, ' ').trim()
  return {
    rule: 'GUARD_COMMAND',
    subject: shown.slice(0, LONGEST_SUBJECT),
    reason: `Cannot run ${shown.slice(0, LONGEST_SUBJECT)}: ${why}`,
    suggestion: 'Ask the person to do it in a terminal of their own, and say why you need it.',
    action: 'ask the person to do it in a terminal of their own',
    isCorrection: false,
    effect: { kind: 'block' },
  }
}

/** The registry keeps its keys in its data folder. */
const keyFiles = /(?:^|[/\\])data[/\\](?:admin-key|log-key)$/
const envFiles = /(?:^|[/\\])\.env(?:\.[\w.-]+)?$/
const keyInEnv = /^\s*(?:export\s+)?PML_\w*KEY\s*=\s*['"]?[^\s'"#]/m

/** A file that contains only a pml key. */
function isKeyFile(path: string): boolean {
  return keyFiles.test(path)
}

/** Returns the first of these files with a pml key: one of the registry's, or an .env that sets one. */
function findKeyFile(paths: readonly string[], world: World): string | undefined {
  return paths.find((path) => {
    const real = world.realPath(path)
    if (isKeyFile(path) || isKeyFile(real)) return true
    if (!envFiles.test(path) && !envFiles.test(real)) return false
    const content = world.readFile(real)
    return content.kind === 'text' && keyInEnv.test(content.text)
  })
}
