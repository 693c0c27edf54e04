import { describe, expect, it } from 'vitest'
import { checkTests } from './check-tests.ts'

const isWeaker = (before: string, after: string, path: string) =>
  checkTests('weakened', { path, before, after })

type Case = readonly [what: string, before: string, after: string]

describe('a choice between assertions in JavaScript', () => {
  const inTest = (...lines: string[]) => `it('a', () => {\n  ${lines.join('\n  ')}\n})\n`
  const [a, b, c] = ['expect(f()).toBe(1)', 'expect(f()).toBe(2)', 'expect(g()).toBe(3)']
  const whole = `if (isOld) {\n    ${a}\n  }\n  else {\n    ${b}\n  }`

  it.each<Case>([
    ['to one of them', inTest(whole), inTest(b)],
    [
      'to one of them, beside another',
      inTest(whole, `if (isOdd) { ${c} }`),
      inTest(b, `if (isOdd) { ${c} }`),
    ],
    ['without braces', inTest(`if (isOld) ${a}`, `else ${b}`), inTest(b)],
    ['of three', inTest(`if (isOld) { ${a} } else if (isOdd) { ${b} } else { ${c} }`), inTest(c)],
    ['in a choice', inTest(`if (isOdd) { ${whole} } else { ${c} }`), inTest(c)],
    ['that is gone once of twice', inTest(whole, whole), inTest(whole, b)],
  ])('may go: %s', (_, before, after) => {
    expect(isWeaker(before, after, 'src/a.test.ts')).toBe(false)
  })

  it.each<Case>([
    ['to nothing', inTest(whole), inTest('f()')],
    ['to something looser', inTest(whole), inTest('expect(f()).toBeTruthy()')],
    ['without its else', inTest(whole), inTest(`if (isOld) { ${a} }`)],
    ['without its else, under another condition', inTest(whole), inTest(`if (isOlder) { ${a} }`)],
    ['with an else that asserts nothing', inTest(whole), inTest(`if (isOld) { ${a} } else { f() }`)],
    ['that had no else', inTest(`if (isOld) { ${a} }`, `if (isOdd) { ${b} }`), inTest(a)],
    ['together with something else', inTest(whole, c), inTest(b)],
    ['with the larger branch', inTest(`if (isOld) { ${a}; ${c} } else { ${b} }`), inTest(b)],
    ['in place of one that had no else', inTest(whole, `if (isOld) { ${c} }`), inTest(whole)],
    ['twice, for one that is left', inTest(whole, whole), inTest(b)],
    [
      'of three, for a choice of two',
      inTest(`if (isOld) { ${a} } else if (isOdd) { ${b} } else { ${c} }`),
      inTest(`if (isOld) { ${a} } else if (isOdd) { ${b} }`),
    ],
  ])('must not go: %s', (_, before, after) => {
    expect(isWeaker(before, after, 'src/a.test.ts')).toBe(true)
  })
})

describe('a choice between assertions in Python', () => {
  const inTest = (...lines: string[]) => `def test_a():\n    ${lines.join('\n    ')}\n`
  const [a, b, c] = ['assert f() == 1', 'assert f() == 2', 'assert g() == 3']
  const whole = [`if is_old:`, `    ${a}`, `else:`, `    ${b}`]

  it.each<Case>([
    ['to one of them', inTest(...whole), inTest(b)],
    ['beside another', inTest(...whole, 'if is_odd:', `    ${c}`), inTest(b, 'if is_odd:', `    ${c}`)],
    [
      'of three',
      inTest('if is_old:', `    ${a}`, 'elif is_odd:', `    ${b}`, 'else:', `    ${c}`),
      inTest(c),
    ],
  ])('may go: %s', (_, before, after) => {
    expect(isWeaker(before, after, 'tests/test_a.py')).toBe(false)
  })

  it.each<Case>([
    ['to something looser', inTest(...whole), inTest('assert f()')],
    ['without its else', inTest(...whole), inTest('if is_old:', `    ${a}`)],
    ['that had no else', inTest('if is_old:', `    ${a}`, 'if is_odd:', `    ${b}`), inTest(a)],
    [
      'together with a row',
      `@pytest.mark.parametrize("x", [1, 2, 3])\n${inTest(...whole)}`,
      `@pytest.mark.parametrize("x", [1, 2])\n${inTest(b)}`,
    ],
    ['that was the else of a loop', inTest('for x in y:', `    ${a}`, 'else:', `    ${b}`), inTest(b)],
    ['together with something else', inTest(...whole, c), inTest(b)],
  ])('must not go: %s', (_, before, after) => {
    expect(isWeaker(before, after, 'tests/test_a.py')).toBe(true)
  })
})

it('reads nested choices quickly', () => {
  const nested = `${'if (x) { expect(f()).toBe(1) } else { '.repeat(4000)}${'}'.repeat(4000)}\n`
  expect(isWeaker(`${nested}expect(g()).toBe(1)`, nested, 'src/a.test.ts')).toBe(true)
})
