import type { ShellCall } from '../event.ts'
import { type Fields, text, unexpected, fieldValue } from './fields.ts'

/** Names of the parameter for a command's folder. */
const folderNames = [
  'dir_path',
  'directory',
  'workdir',
  'working_directory',
  'workingDirectory',
  'cwd',
  'Cwd',
]

/** A shell call. If the tool gets a folder, the command starts with `cd`. */
export function readShell(
  { tool, dialect, field = 'command' }: { tool: string; dialect: ShellCall['dialect']; field?: string },
  input: Fields,
): ShellCall {
  const line = commandLine(input, field)
  const folder = folderNames
    .map((name) => fieldValue(input, name))
    .find((value) => typeof value === 'string' && value.trim() !== '')
  if (typeof folder !== 'string') return { kind: 'shell', tool, command: line, dialect }
  const [quoted, then] =
    dialect === 'bash' ? [quote(folder), ' && '] : [`'${folder.replaceAll("'", "''")}'`, '; ']
  return { kind: 'shell', tool, command: `cd ${quoted}${then}${line}`, dialect }
}

/**
 * Agents with one name for every shell use PowerShell on Windows, recognised by the form of their folder's path.
 */
export function dialectIn(cwd: string): ShellCall['dialect'] {
  return /^(?:[A-Za-z]:|\\\\)/.test(cwd) ? 'powershell' : 'bash'
}

/** A command as one line for a shell: the line itself, the script of `["bash", "-lc", "…"]`, or quoted words. */
function commandLine(input: Fields, field: string): string {
  const value = fieldValue(input, field)
  if (!Array.isArray(value)) return text(input, field)
  const words: readonly unknown[] = value
  if (!words.every((word) => typeof word === 'string') || words.length === 0) {
    throw unexpected(input, field, { expected: 'a string or a list of strings', value })
  }
  const [program = '', option = '', script] = words
  const isShellScript =
    words.length === 3 && /(?:^|[/\\])(?:ba|da|k|z)?sh$/.test(program) && /^-l?c$/.test(option)
  return isShellScript && script !== undefined ? script : words.map(quote).join(' ')
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
