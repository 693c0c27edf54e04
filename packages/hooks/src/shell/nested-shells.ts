import { hole, isKnown, readable } from './words/holes.ts'
import { scriptConduct } from './words/known-readers.ts'
import { noteConduct } from './words/note-conduct.ts'
import { readOptions } from './words/options.ts'
import { readPowerShell } from './read-powershell.ts'
import { readFrom } from './words/redirects.ts'
import type { Call, Program, Shell, Stream } from './words/shell.ts'

/** Shells in the shell: text that becomes commands. */
export const NESTED_SHELLS: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(
    ['bash', 'sh', 'zsh', 'dash', 'ksh', 'ash', 'mksh', 'rbash', 'fish'].map((name) => [name, nested]),
  ),
  eval: (shell, { args, stdin }) =>
    runText(shell, { text: args.filter((arg) => arg !== '--').join(' '), by: 'eval', stdin }),
  source: dot,
  '.': dot,
  su: (shell, call) => withCommandOption(shell, call),
  at: (shell, { stdin }) => shell.inSubshell(() => runInput(shell, stdin, 'at')),
  batch: (shell, { stdin }) => shell.inSubshell(() => runInput(shell, stdin, 'batch')),
  script: typescript,
  pwsh: powerShell,
  powershell: powerShell,
  cmd: (shell, { args }) => {
    const at = args.findIndex((arg) => /^\/{1,2}[ck]$/i.test(arg))
    return at < 0 ? undefined : runText(shell, { text: args.slice(at + 1).join(' '), by: 'cmd' })
  },
}

/** `pwsh -NoProfile -Command "…"`; without the option PowerShell on Windows also treats its arguments as a command. */
function powerShell(shell: Shell, { name, args }: Call): Stream {
  const at = args.findIndex((arg) => /^-c(?:o(?:m(?:m(?:a(?:n(?:d)?)?)?)?)?)?$/i.test(arg))
  if (args.some((arg) => /^-e(?:c|nc|ncodedcommand)?$/i.test(arg)))
    shell.unknown(`${name} runs what is encoded, which is not read`)
  if (at < 0) return undefined
  const text = args.slice(at + 1).join(' ')
  const home = shell.scope.variables.get('HOME') ?? ''
  for (const cwd of shell.scope.folders) {
    const { writes, unknowns } = readPowerShell(readable(text), { cwd: cwd ?? '', home })
    for (const { path, written, content } of writes) shell.write(path ?? hole(written), content)
    for (const sentence of unknowns) shell.unknown(sentence)
  }
  return undefined
}

function nested(shell: Shell, { name, args, stdin }: Call): Stream {
  const { words, find } = readOptions(args, {
    values: 'oO',
    longValues: ['rcfile', 'init-file'],
    stopsAtWord: true,
  })
  const [first, ...rest] = words
  if (find('version', 'help') !== undefined || find('n') !== undefined) return undefined
  return shell.inSubshell(() => {
    if (find('c', 'command') !== undefined) {
      shell.scope.args = rest.slice(1)
      return runText(shell, { text: first ?? '', by: name, stdin })
    }
    if (first === undefined || first === '-' || first === '/dev/stdin' || find('s') !== undefined) {
      shell.scope.args = find('s') === undefined ? rest : words
      return runInput(shell, stdin, name)
    }
    const stream = readScriptFile(shell, { word: first, args: rest, stdin })
    if (!stream) noteConduct(shell, scriptConduct(first), { name: first, args: rest, stdin })
    return stream
  })
}

/** A script on disk is not read unless this command line wrote it. */
export function readScriptFile(
  shell: Shell,
  { word, args, stdin }: { word: string; args: readonly string[]; stdin: Stream },
): Stream {
  if (!isKnown(word)) return undefined
  const stream = readFrom(shell, word)
  if (stream && 'text' in stream) {
    const program = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(?:\S*\/)?([\w.-]+)/.exec(stream.text)?.[1]
    if (program !== undefined && !/^(?:ba|da|z|k|a|mk)?sh$/.test(program)) {
      shell.act(program, [stream.text, ...args])
      return undefined
    }
    return shell.inSubshell(() => {
      shell.scope.args = args
      return shell.source(stream.text, stdin)
    })
  }
  if (stream === undefined && word.startsWith('/dev/fd/pipe')) {
    shell.unknown('A shell runs what another command prints, which is only known then')
  }
  return undefined
}

function dot(shell: Shell, { args, stdin }: Call): Stream {
  const [file = ''] = args.filter((arg) => arg !== '--')
  if (file === '/dev/stdin') return runInput(shell, stdin, 'source')
  const stream = isKnown(file) ? readFrom(shell, file) : undefined
  if (stream && 'text' in stream) return shell.source(stream.text, stdin)
  return readScriptFile(shell, { word: file, args: [], stdin })
}

function runInput(shell: Shell, stdin: Stream, by: string): Stream {
  if (stdin && 'text' in stdin) return shell.source(stdin.text, undefined)
  // Text from a file is read like any script; only the input from another command is unknown.
  if (!stdin) shell.unknown(`${by} runs what it reads from another command, which is only known then`)
  return undefined
}

export function runText(
  shell: Shell,
  { text, by, stdin }: { text: string; by: string; stdin?: Stream },
): Stream {
  if (isKnown(text)) return shell.source(text, stdin)
  shell.unknown(`${by} runs "${readable(text)}", which is only known then`)
  return undefined
}

function withCommandOption(shell: Shell, { args, stdin }: Call): Stream {
  const { find } = readOptions(args, {
    values: 'cgGsTw',
    longValues: ['command', 'session-command', 'shell'],
  })
  const text = find('c', 'command', 'session-command')
  return text === undefined ? undefined : shell.inSubshell(() => runText(shell, { text, by: 'su', stdin }))
}

/** script(1) writes the output to a file, and may run a command: `script -c cmd file`. */
function typescript(shell: Shell, { args, stdin }: Call): Stream {
  const { find, words } = readOptions(args, {
    values: 'cEIoOBTm',
    longValues: ['command', 'log-out', 'log-in', 'log-io', 'log-timing'],
    stopsAtWord: true,
  })
  const text = find('c', 'command')
  if (text !== undefined) shell.inSubshell(() => runText(shell, { text, by: 'script', stdin }))
  const [file = 'typescript', ...command] = words
  for (const path of [
    file,
    ...['O', 'log-out', 'I', 'log-in', 'B', 'log-io'].flatMap((name) => find(name) ?? []),
  ]) {
    shell.write(path, { kind: 'unknown', why: 'script keeps there what is printed' })
  }
  if (command.length > 0 && text === undefined) shell.run(command, stdin)
  return undefined
}
