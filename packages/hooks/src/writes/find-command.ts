import { isJsonObject, type JsonObject, type ToolCall } from '../event.ts'

const commandNames = [
  'command',
  'cmd',
  'command_line',
  'commandLine',
  'shell_command',
  'script',
  'bash',
  'program',
  'executable',
]
const listNames = ['commands', 'cmds']
const argumentNames = ['args', 'argv', 'arguments']
const wrapperNames = ['params', 'arguments', 'input', 'request', 'payload', 'options']
const DEEPEST = 4

/** Returns the commands that the arguments of a server's or an unknown tool may contain. They are judged as commands. */
export function findCommand(call: ToolCall | undefined): string | undefined {
  if (call?.kind === 'shell') return call.command
  const args = call?.kind === 'mcp' ? call.args : call?.kind === 'other' ? call.input : undefined
  const found = args ? commandsIn(args, 0) : []
  return found.length > 0 ? found.join('\n') : undefined
}

function commandsIn(args: JsonObject, depth: number): string[] {
  if (depth > DEEPEST) return []
  const words = argumentNames.flatMap((key) => textsIn(args[key]))
  // A single text is already a command line.
  const line = argumentNames.flatMap((key) => (typeof args[key] === 'string' ? args[key] : []))
  const own = commandNames.flatMap((key) => {
    const value = args[key]
    const texts = textsIn(value)
    if (texts.length > 0) return [texts.map(quoted).join(' ')]
    return typeof value === 'string' && value.trim() !== ''
      ? [[value, ...words.map(quoted), ...line].join(' ')]
      : []
  })
  const listed = listNames.flatMap((key) => textsIn(args[key]))
  const inside = wrapperNames.flatMap((key) =>
    isJsonObject(args[key]) ? commandsIn(args[key], depth + 1) : [],
  )
  return [...own, ...listed, ...inside]
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : []
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
