import { expect, it } from 'vitest'
import { checkTests } from './check-tests.ts'

const isWeaker = (before: string, after: string, path = 'src/a.test.ts') =>
  checkTests('weakened', { path, before, after })

type Case = readonly [what: string, before: string, after: string]

const inTest = (body: string) => `it('a', () => {\n  ${body}\n})\n`
const three = inTest('expect(f(1)).toBe(1)\n  expect(f(2)).toBe(2)\n  expect(f(3)).toBe(3)')
const inLoop = inTest('for (const x of rows) expect(f(x)).toBe(x)')

it.each<Case>([
  ['a table with a name', three, `const rows = [1, 2, 3]\n${inLoop}`],
  ['a table with a name and a type', three, `const rows: readonly number[] = [1, 2, 3]\n${inLoop}`],
  ['a table of lists', three, `const rows = [[1, 1], [2, 2], [3, 3],]\n${inLoop}`],
  [
    'a table of each',
    three,
    `const rows = [1, 2, 3]\nit.each(rows)('a', (x) => {\n  expect(f(x)).toBe(x)\n})`,
  ],
  [
    'a table that is gone through',
    three,
    inTest('const rows = [1, 2, 3]\n  rows.forEach((x) => expect(f(x)).toBe(x))'),
  ],
  [
    'a callback with a name',
    inTest('f(function (x) { expect(x).toBe(1) })'),
    inTest('f(function called(x) { expect(x).toBe(1) })'),
  ],
  [
    'an async callback with a name',
    inTest('f(1, (x) => expect(x).toBe(1))'),
    inTest('f(1, async function called(x) { expect(x).toBe(1) })'),
  ],
])('may move into %s', (_, before, after) => {
  expect(isWeaker(before, after)).toBe(false)
})

it.each<Case>([
  ['a shorter table', three, `const rows = [1, 2]\n${inLoop}`],
  ['an empty table', three, `const rows = []\n${inLoop}`],
  ['a table that is made elsewhere', three, `const rows = load()\n${inLoop}`],
  ['a table of another name', three, `const cases = [1, 2, 3]\n${inLoop}`],
  ['a table that a nearer one hides', three, `const rows = [1, 2, 3]\n{ const rows = [1]\n${inLoop}}`],
  [
    'a function that nobody is given',
    inTest('f(function (x) { expect(x).toBe(1) })'),
    inTest('void (function called(x) { expect(x).toBe(1) })'),
  ],
  [
    'a function of its own',
    inTest('f(function (x) { expect(x).toBe(1) })'),
    inTest('f(1)\n  function called(x) { expect(x).toBe(1) }'),
  ],
])('must not move into %s', (_, before, after) => {
  expect(isWeaker(before, after)).toBe(true)
})

const command = (name: string, body: string) =>
  `def ${name}(runner):\n    def cli():\n        ${body}\n    runner.invoke(cli)\n\n`

it('counts a helper only where it is in scope', () => {
  const before = `${command('test_a', 'assert f() == 1')}${command('test_b', 'assert g() == 2')}def test_c():\n    assert h() == 3\n`
  const after = before.replace('    assert h() == 3\n', '    h()\n') + `\n${command('test_d', 'f()')}`
  expect(isWeaker(before, after, 'tests/test_a.py')).toBe(true)
})

it('counts a helper of a block within that block', () => {
  const group = (body: string) =>
    `describe('x', () => {\n  const check = () => { ${body} }\n  it('a', () => check())\n})\n`
  const before = `${group('expect(f()).toBe(1)')}${group('expect(g()).toBe(2)')}${inTest('expect(h()).toBe(3)')}`
  const after = `${group('expect(f()).toBe(1)')}${group('expect(g()).toBe(2)')}${inTest('h()')}${group('k()')}`
  expect(isWeaker(before, after)).toBe(true)
  expect(isWeaker(before, `${before}${group('k()')}`)).toBe(false)
})

it('reads nested tables quickly', () => {
  const tables = `${'const x = [0, '.repeat(15_000)}${']'.repeat(15_000)}\n`
  const text = `${tables}${'for (const y of x) {}\n'.repeat(2000)}`
  expect(isWeaker(text, text)).toBe(false)
})
