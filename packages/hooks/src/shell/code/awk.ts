import { hole, isKnown, readable } from '../words/holes.ts'
import { readOptions } from '../words/options.ts'
import { TERMINAL } from '../words/shell.ts'
import type { Call, Shell, Stream } from '../words/shell.ts'

const WHY = { kind: 'unknown', why: 'awk works it out' } as const

export function awk(shell: Shell, { args }: Call): Stream {
  const { words, all, find } = readOptions(args, {
    values: 'fvFieE',
    longValues: ['file', 'assign', 'field-separator', 'include', 'source', 'exec'],
    stopsAtWord: true,
  })
  const given = all('e', 'source')
  const programs =
    given.length > 0 ? given : find('f', 'file', 'E', 'exec') === undefined ? words.slice(0, 1) : []
  const files = programs.length > 0 && given.length === 0 ? words.slice(1) : words
  const worksOut = programs.map((program) => readProgram(shell, program)).includes(true)
  // A computed name comes from its arguments, variables or input.
  if (worksOut || find('f', 'file', 'E', 'exec') !== undefined) shell.act('awk', [...args, hole('$')])
  if (all('i', 'include').includes('inplace')) {
    for (const file of files.filter((word) => !/^\w+=/.test(word))) shell.write(file, WHY)
  }
  return undefined
}

/**
 * Reports whether it writes to or runs a computed name. `print > "file"`, `print | "command"`, `system("command")`; `$1 > 5` is
 * a comparison.
 */
function readProgram(shell: Shell, program: string): boolean {
  let worksOut = /\bgetline\b/.test(program)
  shell.code('awk', program)
  for (const match of program.matchAll(/\bprintf?\b/g)) {
    const output = outputOf(program, match.index + match[0].length)
    if (!output) continue
    if (!isPlain(output.target)) worksOut = true
    if (output.operator === '|') runLiteral(shell, output.target)
    else shell.write(literal(output.target) ?? hole(output.target), WHY)
  }
  for (const match of program.matchAll(/\bsystem\s*\(([^)]*)\)/g)) runLiteral(shell, match[1] ?? '')
  for (const match of program.matchAll(/("(?:[^"\\]|\\.)*")\s*\|\s*getline/g))
    runLiteral(shell, match[1] ?? '')
  return worksOut
}

/** A literal file or command, but not a shell that runs its input. */
function isPlain(target: string): boolean {
  const text = literal(target)
  return text !== undefined && !/(?:^|\/|\s)(?:ba|da|z|k)?sh\b/.test(text)
}

/** The text after `>`, `>>` or `|` of a print statement, outside of parentheses and strings. */
function outputOf(program: string, start: number): { operator: string; target: string } | undefined {
  let depth = 0
  for (let at = start; at < program.length && at - start < 5000; at++) {
    const char = program[at] ?? ''
    if (char === '"') at = endOfText(program, at)
    else if (char === '(') depth++
    else if (char === ')') depth--
    else if (depth === 0 && /[;}\n]/.test(char)) return undefined
    else if (depth === 0 && (char === '>' || (char === '|' && program[at + 1] !== '|'))) {
      const rest = program.slice(at).replace(/^[>|&]+\s*/, '')
      const target = /^(?:"(?:[^"\\]|\\.)*"|[^;}\n"])+/.exec(rest)?.[0] ?? ''
      return { operator: char, target: target.trim() }
    }
    if (char === '|' && program[at + 1] === '|') at++
  }
  return undefined
}

function endOfText(program: string, open: number): number {
  for (let at = open + 1; at < program.length; at++) {
    if (program[at] === '\\') at++
    else if (program[at] === '"') return at
  }
  return program.length
}

function literal(expression: string): string | undefined {
  const inside = /^\(?\s*"((?:[^"\\]|\\.)*)"\s*\)?$/.exec(expression)?.[1]
  return inside?.replaceAll(/\\(.)/g, '$1')
}

function runLiteral(shell: Shell, expression: string): void {
  const text = literal(expression.trim())
  if (text !== undefined && isKnown(text)) shell.inSubshell(() => shell.source(text, TERMINAL))
  else shell.unknown(`awk starts a command that is only known then: ${readable(expression)}`)
}
