import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readCommand, readPowerShell } from './index.ts'

const PLACE = { cwd: '/w', home: '/home/u' }

const PIECES = [
  '$(',
  ')',
  '`',
  '"',
  "'",
  '{',
  '}',
  '${',
  '<(',
  '>(',
  '((',
  '))',
  '$((',
  '[[',
  ']]',
  '|',
  '&&',
  ';',
  '\n',
  ' ',
  '<<E\n',
  '\nE\n',
  '>',
  '>>',
  '<',
  '&',
  '\\',
  '#',
  '!',
  '*',
  '~',
  '=',
  ',',
  '..',
  '{a,b}',
  '$x',
  'x=',
  'f() {',
  'if ',
  'then ',
  'fi',
  'for i in ',
  'do ',
  'done',
  'case x in ',
  'esac',
  'eval ',
  'bash -c ',
  'cp ',
  'sed -i ',
  "python -c '",
  "open('a','w')",
  "node -e '",
  'fs.writeFileSync(',
  'xargs ',
  'find . -exec ',
  'tar x',
  'cd ',
  'a.js',
]

it('reads any text without throwing', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ maxLength: 200, unit: 'binary' }),
        fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((parts) => parts.join('')),
      ),
      (command) => {
        readCommand(command, PLACE)
        readPowerShell(command, PLACE)
      },
    ),
    { numRuns: 1000 },
  )
})

it.each([
  '(',
  '$(',
  '`',
  '"',
  "'",
  '{',
  '{a,',
  '{a,b}',
  '${',
  '<(',
  '((',
  '$((',
  '[[',
  'if ',
  'f() ',
  'f(){ f|f; };f;',
  '<<E',
  'a;',
  'a|',
  'x=$x$x$x;',
  'eval ',
  'sudo ',
  'rlwrap ',
  'ssh h ',
  'docker -i ',
  "bash -c '",
  'echo {1..9999};',
  'while :;do ',
])('finishes on 100,000 characters of %s', (piece) => {
  const text = piece.repeat(100_000 / piece.length)
  const facts = [readCommand(text, PLACE), readPowerShell(text, PLACE)]
  expect(facts.every(({ writes }) => writes.length === 0)).toBe(true)
})

it.each([
  ["python -c '%'", 'open('],
  ["node -e '%'", 'writeFileSync('],
  ["node -e '%'", 'a='],
  ["awk '%'", 'print>'],
  ["sed '%'", 's/a/'],
  ["perl -e '%'", 'x(`'],
])('finishes on endlessly repeated code: %s of %s', (command, piece) => {
  const { commands } = readCommand(command.replace('%', piece.repeat(10_000)), PLACE)
  expect(commands).not.toEqual([])
})

it.each([
  'touch {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}',
  `: ${'x'.repeat(1 << 20)}`,
  'f() { f; }; f',
])('reports that it has not read all of %.40s', (command) => {
  expect(readCommand(command, PLACE).unknowns).toHaveLength(1)
})
