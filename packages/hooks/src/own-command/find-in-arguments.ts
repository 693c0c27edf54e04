import { isJsonObject, type JsonObject } from '../event.ts'
import { findOwnCommandIn, findOwnCommandInCode } from './find-own-command.ts'
import { callsOwnRoute, DECIDES, isDecidingTool } from './registry-calls.ts'

const DEEPEST = 6
const MOST_TEXTS = 10_000

/** A string among a tool's arguments, and its member name. */
interface Named {
  readonly member: string
  readonly text: string
}

const pathMembers =
  /^(?:file_?path|path|absolute_?path|filename|notebook_?path|file|files|paths|file_?paths|absolute_?paths|uri|uris)$/i
const codeMembers =
  /^(?:code|source|sourceCode|script|expression|javascript|python|program|snippet|function)$/i
const typedMembers = /^(?:keys|keystrokes|chars|characters|stdin)$/i
/** Names with another meaning in tools that do not type. */
const perhapsTyped = /^(?:text|input|data|content|line)$/i
const typingTools = /term|tmux|shell|pty|console|screen|exec|stdin|send|type|key|repl/i
const urlMembers = /^(?:url|uri|href|endpoint|address|link|path)$/i
const toolMembers = /^(?:name|tool|tool_?name|function|function_?name|method|action|command)$/i

/** What a tool's arguments would do in a person's place; undefined if nothing is found. */
export function findInArguments(tool: string, args: JsonObject): string | undefined {
  const texts = textsIn(args)
  const around = texts.map(({ text }) => text).join(' ')
  for (const { member, text } of texts) {
    if (toolMembers.test(member) && isDecidingTool(text, around)) return DECIDES
    if (urlMembers.test(member) && callsOwnRoute(text)) return DECIDES
    const isTyped = typedMembers.test(member) || (perhapsTyped.test(member) && typingTools.test(tool))
    const own = codeMembers.test(member)
      ? findOwnCommandInCode(text)
      : isTyped
        ? findOwnCommandIn(text)
        : undefined
    if (own?.kind === 'guarded') return own.why
  }
  return undefined
}

/** Files that the arguments name. */
export function pathsInArguments(args: JsonObject): string[] {
  return textsIn(args).flatMap(({ member, text }) => {
    if (!pathMembers.test(member) || text === '' || text.includes('\0')) return []
    return text.startsWith('file://') ? fileOf(text) : [text]
  })
}

function fileOf(url: string): string[] {
  try {
    return [decodeURIComponent(url.slice('file://'.length))]
  } catch {
    return []
  }
}

/** All strings at any depth; list items have the list's name. */
function textsIn(args: JsonObject): Named[] {
  const found: Named[] = []
  const visit = (value: unknown, member: string, depth: number): void => {
    if (found.length >= MOST_TEXTS || depth > DEEPEST) return
    if (typeof value === 'string') found.push({ member, text: value })
    else if (Array.isArray(value)) for (const one of value) visit(one, member, depth + 1)
    else if (isJsonObject(value)) for (const [name, one] of Object.entries(value)) visit(one, name, depth + 1)
  }
  visit(args, '', 0)
  return found
}
