import { anythingBelow, hole, isKnown } from './words/holes.ts'
import { runText } from './nested-shells.ts'
import { readOptions } from './words/options.ts'
import { below } from './words/paths.ts'
import { NOTHING } from './words/shell.ts'
import type { Call, Shell, Stream } from './words/shell.ts'

/** The words come from a pipe; the output of `echo` or `printf` is known. */
export function xargs(shell: Shell, { args, stdin, name }: Call): Stream {
  const { words, find } = readOptions(args, {
    values: 'IEdLnPsaj',
    longValues: [
      'replace',
      'delimiter',
      'max-args',
      'max-lines',
      'max-procs',
      'arg-file',
      'max-chars',
      'jobs',
    ],
    stopsAtWord: true,
  })
  const isParallel = name === 'parallel'
  const separator = words.findIndex((word) => /^:::+$/.test(word))
  const command = isParallel && separator >= 0 ? words.slice(0, separator) : words
  const place =
    find('I') ?? (find('i', 'replace') !== undefined || isParallel ? find('replace') || '{}' : undefined)
  const byLine = place !== undefined || find('d', 'delimiter') !== undefined
  const given = isParallel && separator >= 0 ? words.slice(separator + 1) : inputWords(stdin, byLine)
  const [first, ...rest] = command
  if (first === undefined) return undefined
  if (place !== undefined) {
    const inputs = given ?? [hole('…')]
    for (const input of inputs.slice(0, 100)) {
      const filled = command.map((word) => word.replaceAll(place, () => input))
      const added = isParallel && !command.some((word) => word.includes(place)) ? [input] : []
      const line = [...filled, ...added]
      if (isParallel) runText(shell, { text: line.join(' '), by: 'parallel' })
      else shell.run(line, NOTHING)
    }
    return undefined
  }
  return shell.run([first, ...rest, ...(given ?? [hole('…')])], NOTHING)
}

function inputWords(stdin: Stream, byLine: boolean): readonly string[] | undefined {
  if (!stdin || !('text' in stdin)) return undefined
  return stdin.text.split(byLine ? /[\n\0]+/ : /[\s\0]+/).filter((word) => word !== '')
}

export function find(shell: Shell, { args, stdin }: Call): Stream {
  const expression = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLPO]/.test(arg))
  const roots = args.slice(0, expression < 0 ? args.length : expression).filter((arg) => !arg.startsWith('-'))
  const from = roots.length === 0 ? ['.'] : roots
  const found = from.flatMap((root) => namesIn(args).map((name) => below(root, anythingBelow(name))))
  for (const [at, arg] of args.entries()) {
    if (arg === '-delete') for (const path of found) shell.write(path, { kind: 'deleted' })
    if (/^-f(?:print0?|printf|ls)$/.test(arg)) {
      shell.write(args[at + 1] ?? '', { kind: 'unknown', why: 'find lists there what it finds' })
    }
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(arg)) continue
    const rest = args.slice(at + 1)
    const end = rest.findIndex((word, index) => word === ';' || (word === '+' && rest[index - 1] === '{}'))
    const command = end < 0 ? rest : rest.slice(0, end)
    for (const path of found)
      runFor(shell, { words: command.map((word) => word.replaceAll('{}', () => path)), places: [], stdin })
  }
  return undefined
}

/** All `-name '*.ts'` patterns; any name if there are none. */
function namesIn(args: readonly string[]): readonly string[] {
  // Empty files have no content to lose.
  if (args.includes('-empty')) return []
  const names = args.flatMap((arg, at) => {
    const name = args[at + 1]
    return /^-i?name$/.test(arg) && name !== undefined && isKnown(name) ? [`/${name}`] : []
  })
  return names.length === 0 ? [''] : [...new Set(names)]
}

/** Runs a command with an unknown word. */
export function runFor(
  shell: Shell,
  { words, places, stdin }: { words: readonly string[]; places: readonly string[]; stdin: Stream },
): Stream {
  const filled = words
    .filter((word) => word !== ';')
    .map((word) => places.reduce((text, place) => text.replaceAll(place, () => hole(place)), word))
  return filled.length > 0 && isKnown(filled[0] ?? '')
    ? shell.inSubshell(() => shell.run(filled, stdin))
    : undefined
}
