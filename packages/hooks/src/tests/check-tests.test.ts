import { describe, expect, it } from 'vitest'
import type { TestCheck } from '../policy/policy.ts'
import { checkTests } from './check-tests.ts'

type Case = readonly [what: string, before: string, after: string]

const finds = (check: TestCheck, path: string) => (before: string | undefined, after: string) =>
  checkTests(check, { path, before, after })

describe('tests in JavaScript', () => {
  const isWeaker = finds('weakened', 'src/a.test.ts')

  const inTest = (body: string) => `it('a', () => {\n  ${body}\n})\n`
  const two = `${inTest('expect(f(1)).toBe(1)')}${inTest('expect(f(2)).toBe(2)')}`
  const call = `${inTest('check(1)')}${inTest('check(2)')}`

  it.each<Case>([
    ['moved into a function', two, `function check(x) {\n  expect(f(x)).toBe(x)\n}\n${call}`],
    ['moved into an arrow function', two, `const check = (x: number) => expect(f(x)).toBe(x)\n${call}`],
    [
      'moved into an async function',
      two,
      `const check = async (x: number): Promise<void> => {\n  expect(await f(x)).toBe(x)\n}\n${call}`,
    ],
    [
      'moved into a helper of a helper',
      two,
      `function check(x) { same(f(x), x) }\nfunction same(a, b) { expect(a).toBe(b) }\n${call}`,
    ],
    [
      'moved into a helper that is given on',
      two,
      `function check(x) { expect(f(x)).toBe(x) }\nit('a', () => [1, 2].forEach(check))\n`,
    ],
    [
      'moved into a helper behind a guard',
      two,
      `function check(x) {\n  if (!x) return\n  expect(f(x)).toBe(x)\n}\n${call}`,
    ],
    [
      'moved into a helper with a switch',
      two,
      `function check(x) {\n  switch (x) {\n    case 0:\n      return\n    default:\n      expect(f(x)).toBe(x)\n  }\n}\n${call}`,
    ],
    ['moved into a table', two, `it.each([1, 2])('a', (x) => {\n  expect(f(x)).toBe(x)\n})\n`],
    [
      'moved into a loop',
      two,
      `for (const x of [1, 2]) {\n  it('a', () => {\n    expect(f(x)).toBe(x)\n  })\n}\n`,
    ],
    ['truthy to exact', inTest('expect(f()).toBeTruthy()'), inTest('expect(f()).toBe(1)')],
    ['contained to equal', inTest('expect(f()).toContain(1)'), inTest('expect(f()).toEqual([1])')],
    [
      'several loose ones to an exact one',
      inTest('assert(f().a)\nassert(f().b)\nassert.ok(f().c)'),
      inTest('assert.deepEqual(f(), { a: 1, b: 2, c: 3 })'),
    ],
    [
      'several exact ones to one of the whole',
      inTest('expect(f().a).toBe(1)\nexpect(f().b).toBe(2)'),
      inTest('expect(f()).toEqual({ a: 1, b: 2 })'),
    ],
    [
      'another library',
      inTest('f().should.equal(1)\ng().should.be.ok()'),
      inTest('assert.strictEqual(f(), 1)\nassert.ok(g())'),
    ],
    [
      'a callback to a promise',
      inTest('f((err, x) => {\n t.ifError(err)\n t.equal(x, 1)\n})'),
      inTest('const x = await f()\n t.equal(x, 1)'),
    ],
    [
      'a return of the assertion',
      inTest('expect(f()).toBe(1)'),
      inTest('return expect(f()).resolves.toBe(1)'),
    ],
    [
      'braces in a template',
      inTest('expect(f()).toBe(1)'),
      inTest('const x = `${g({ a: 1 })}`\n  expect(f()).toBe(1)'),
    ],
    [
      'an assertion about literals',
      inTest('expect(true).toBe(true)\nexpect(f()).toBe(1)'),
      inTest('expect(f()).toBe(1)'),
    ],
  ])('may change: %s', (_, before, after) => {
    expect(isWeaker(before, after)).toBe(false)
  })

  it.each<Case>([
    [
      'helper that nobody calls',
      two,
      `function check(x) { expect(f(x)).toBe(x) }\n${inTest('f(1)')}${inTest('f(2)')}`,
    ],
    [
      'helper that is only named',
      two,
      `function check(x) { expect(f(x)).toBe(x) }\n${inTest('void check')}${inTest('const x = check')}`,
    ],
    [
      'helper that only calls itself',
      two,
      `function check(x) { expect(f(x)).toBe(x); check(x) }\n${inTest('f(1)')}`,
    ],
    [
      'helper that another dead helper calls',
      two,
      `function check(x) { expect(f(x)).toBe(x) }\nfunction dead() { check(1); check(2) }\n${inTest('f(1)')}`,
    ],
    [
      'arrow function that nobody calls',
      two,
      `const check = () => {\n  expect(f(1)).toBe(1)\n  expect(f(2)).toBe(2)\n}\n${inTest('f(1)')}`,
    ],
    ['helper without assertions', two, `function check(x) { f(x) }\n${call}`],
    [
      'helper that is called assert…',
      two,
      `function assertSame(x) { f(x) }\n${inTest('assertSame(1)')}${inTest('assertSame(2)')}`,
    ],
    ['helper with looser assertions', two, `function check(x) { expect(f(x)).toBeDefined() }\n${call}`],
    ['helper that returns before', two, `function check(x) {\n  return\n  expect(f(x)).toBe(x)\n}\n${call}`],
    [
      'helper that returns a value before',
      two,
      `function check(x) {\n  return f(x);\n  expect(f(x)).toBe(x)\n}\n${call}`,
    ],
    ['helper that throws before', two, `function check(x) {\n  throw x\n  expect(f(x)).toBe(x)\n}\n${call}`],
    ['helper behind if (false)', two, `function check(x) {\n  if (false) expect(f(x)).toBe(x)\n}\n${call}`],
    [
      'helper behind if (0) {…}',
      two,
      `function check(x) {\n  if (0) {\n    expect(f(x)).toBe(x)\n  }\n}\n${call}`,
    ],
    ['helper behind false &&', two, `function check(x) {\n  false && expect(f(x)).toBe(x)\n}\n${call}`],
    ['test that returns before', inTest('expect(f()).toBe(1)'), inTest('return\n  expect(f()).toBe(1)')],
    [
      'test behind if (false)',
      inTest('expect(f()).toBe(1)'),
      inTest('if (false) {\n    expect(f()).toBe(1)\n  }'),
    ],
    ['exact to truthy', inTest('expect(f()).toBe(1)'), inTest('expect(f()).toBeTruthy()')],
    ['equal to contained', inTest('expect(f()).toEqual([1])'), inTest('expect(f()).toContain(1)')],
    ['equal to not equal', inTest('expect(f()).toBe(1)'), inTest('expect(f()).not.toBe(2)')],
    ['compared to defined', inTest('expect(f()).toBeGreaterThan(1)'), inTest('expect(f()).toBeDefined()')],
    ['exact to many loose ones', inTest('expect(f()).toBe(1)'), inTest('assert(f())\n'.repeat(9))],
    [
      'exact to many contained ones',
      inTest('expect(f()).toEqual([1])'),
      inTest('expect(f()).toContain(1)\n'.repeat(9)),
    ],
    ['code to literals', inTest('expect(f()).toEqual([1, 2])'), inTest('expect([1, 2]).toEqual([1, 2])')],
    [
      'exact ones to a smaller whole',
      inTest('expect(f().a).toBe(1)\nexpect(f().b).toBe(2)\nexpect(f().c).toBe(3)'),
      inTest('expect(f()).toEqual({ a: 1 })'),
    ],
    [
      'a callback without its error',
      inTest('f((err, x) => {\n t.ifError(err)\n t.equal(x, 1)\n})'),
      inTest('f((err, x) => {\n t.equal(x, 1)\n})'),
    ],
    ['a test without assertions', `${inTest('f()')}${inTest('g()')}`, inTest('f()')],
    ['a test', two, inTest('expect(f(1)).toBe(1)')],
    ['everything', two, ''],
  ])('must not lose: %s', (_, before, after) => {
    expect(isWeaker(before, after)).toBe(true)
  })
})

describe('tests in Python', () => {
  const isWeaker = finds('weakened', 'tests/test_a.py')

  const two = 'def test_a():\n    assert f(1) == 1\n\ndef test_b():\n    assert f(2) == 2\n'
  const call = 'def test_a():\n    check(1)\n\ndef test_b():\n    check(2)\n'

  it.each<Case>([
    ['moved into a function', two, `def check(x):\n    assert f(x) == x\n\n${call}`],
    [
      'moved into a method',
      'class TestA(TestCase):\n    def test_a(self):\n        self.assertEqual(f(1), 1)\n',
      'class TestA(TestCase):\n    def check(self, x):\n        self.assertEqual(f(x), x)\n\n    def test_a(self):\n        self.check(1)\n',
    ],
    [
      'moved into a fixture',
      two,
      `@pytest.fixture\ndef one():\n    assert f(1) == 1\n    assert f(2) == 2\n\ndef test_a(one):\n    pass\n`,
    ],
    [
      'moved into a helper behind a guard',
      two,
      `def check(x):\n    if not x:\n        return\n    assert f(x) == x\n\n${call}`,
    ],
    [
      'moved into a table',
      two,
      '@pytest.mark.parametrize("x", [1, 2])\ndef test_a(x):\n    assert f(x) == x\n',
    ],
    ['loose to exact', 'def test_a():\n    assert f()\n', 'def test_a():\n    assert f() == 1\n'],
    ['contained to equal', 'def test_a():\n    assert 1 in f()\n', 'def test_a():\n    assert f() == [1]\n'],
    [
      'several loose ones to an exact one',
      'def test_a():\n    assert f().a\n    assert f().b\n',
      'def test_a():\n    assert f() == {"a": 1, "b": 2}\n',
    ],
    [
      'two exact ones to one',
      'def test_a():\n    assert f() == 1\n    assert g() == 2\n',
      'def test_a():\n    assert f() == 1 and g() == 2\n',
    ],
    [
      'another library',
      'def test_a(self):\n    self.assertEqual(f(), 1)\n    self.assertTrue(g())\n',
      'def test_a():\n    assert f() == 1\n    assert g()\n',
    ],
    [
      'a text of an exception',
      'def test_a():\n    with pytest.raises(X) as e:\n        f()\n    assert "bad" in str(e.value)\n',
      'def test_a():\n    with pytest.raises(X, match="bad"):\n        f()\n',
    ],
    ['over several lines', two, two.replace('f(1) == 1', '(\n        f(1)\n        == 1\n    )')],
  ])('may change: %s', (_, before, after) => {
    expect(isWeaker(before, after)).toBe(false)
  })

  it.each<Case>([
    [
      'helper that nobody calls',
      two,
      'def check(x):\n    assert f(x) == x\n\ndef test_a():\n    f(1)\n\ndef test_b():\n    f(2)\n',
    ],
    [
      'fixture that no test names',
      two,
      '@pytest.fixture\ndef one():\n    assert f(1) == 1\n    assert f(2) == 2\n\ndef test_a():\n    pass\n',
    ],
    ['helper without assertions', two, `def check(x):\n    f(x)\n\n${call}`],
    ['helper with looser assertions', two, `def check(x):\n    assert f(x)\n\n${call}`],
    ['helper that returns before', two, `def check(x):\n    return\n    assert f(x) == x\n\n${call}`],
    [
      'helper that raises before',
      two,
      `def check(x):\n    raise StopIteration(\n        x\n    )\n    assert f(x) == x\n\n${call}`,
    ],
    ['helper behind if False', two, `def check(x):\n    if False:\n        assert f(x) == x\n\n${call}`],
    ['helper behind if False on one line', two, `def check(x):\n    if False: assert f(x) == x\n\n${call}`],
    ['test that returns before', two, two.replace('    assert f(1)', '    return\n    assert f(1)')],
    ['exact to loose', 'def test_a():\n    assert f() == 1\n', 'def test_a():\n    assert f()\n'],
    [
      'exact to not none',
      'def test_a():\n    assert f() == 1\n',
      'def test_a():\n    assert f() is not None\n',
    ],
    ['equal to contained', 'def test_a():\n    assert f() == [1]\n', 'def test_a():\n    assert 1 in f()\n'],
    [
      'assertEqual to assertTrue',
      'def test_a(self):\n    self.assertEqual(f(), 1)\n',
      'def test_a(self):\n    self.assertTrue(f())\n',
    ],
    ['code to literals', 'def test_a():\n    assert f() == 1\n', 'def test_a():\n    assert 1 == 1\n'],
    ['a test', two, 'def test_a():\n    assert f(1) == 1\n'],
  ])('must not lose: %s', (_, before, after) => {
    expect(isWeaker(before, after)).toBe(true)
  })
})

describe('a condition that skips tests', () => {
  const skipsInJavaScript = finds('skipped', 'src/a.test.ts')
  const skipsInPython = finds('skipped', 'tests/test_a.py')
  const known = "it('a', () => { expect(f()).toBe(1) })\n"
  const knownInPython = 'def test_a():\n    assert f() == 1\n'

  it('is allowed in a new file', () => {
    expect(skipsInJavaScript(undefined, "describe.skipIf(!hasTerminal)('a', () => {})")).toBe(false)
    expect(skipsInPython(undefined, `@pytest.mark.skipif(WIN, reason="no sed")\n${knownInPython}`)).toBe(
      false,
    )
  })

  it('is allowed on a new test', () => {
    expect(
      skipsInJavaScript(known, `${known}it.skipIf(isWindows())('b', () => { expect(g()).toBe(1) })`),
    ).toBe(false)
    expect(skipsInJavaScript(known, `${known}it('b', { skip: isWindows }, () => {})`)).toBe(false)
    const added =
      '@pytest.mark.skipif(sys.version_info < (3, 7), reason="too old")\n@other\ndef test_b():\n    pass\n'
    expect(skipsInPython(knownInPython, knownInPython + added)).toBe(false)
  })

  it.each([
    ['on a test that was there', known, known.replace('it(', 'it.skipIf(isWindows())(')],
    ['on a test that got another name', known, "it.skipIf(isWindows())('b', () => { expect(f()).toBe(1) })"],
    ['on a new group around a known test', known, `describe.skipIf(isWindows())('x', () => {\n${known}})`],
    ['as an option of a known test', known, known.replace("'a',", "'a', { skip: isWindows },")],
    ['that is always true', undefined, "it.skipIf(true)('b', () => {})"],
    ['that is never false', undefined, "it.runIf(false)('b', () => {})"],
  ])('is found %s', (_, before, after) => {
    expect(skipsInJavaScript(before, after)).toBe(true)
  })

  it.each([
    ['on a test that was there', knownInPython, `@pytest.mark.skipif(WIN, reason="x")\n${knownInPython}`],
    [
      'on the whole file',
      knownInPython,
      `pytestmark = pytest.mark.skipif(WIN, reason="x")\n${knownInPython}`,
    ],
    ['on a class', knownInPython, `@unittest.skipIf(WIN, "x")\nclass TestA:\n    ${knownInPython}`],
    ['that is always true', undefined, '@pytest.mark.skipif(True, reason="x")\ndef test_b():\n    pass\n'],
    ['that is a text', undefined, '@pytest.mark.skipif("True", reason="x")\ndef test_b():\n    pass\n'],
  ])('is found in Python %s', (_, before, after) => {
    expect(skipsInPython(before, after)).toBe(true)
  })
})

describe('an assertion about literals', () => {
  const isEmpty = finds('empty', 'src/a.test.ts')

  it('is found if a test has nothing else', () => {
    expect(isEmpty(undefined, "it('a', () => { f(); expect(true).toBe(true) })")).toBe(true)
    expect(
      isEmpty("it('a', () => { expect(f()).toBe(1) })", "it('a', () => { assert.ok(true, 'called') })"),
    ).toBe(true)
  })

  it('may exist beside other assertions', () => {
    expect(
      isEmpty(undefined, "it('a', (t) => {\n  f(() => t.assert.ok(true))\n  t.assert.equal(g(), 1)\n})"),
    ).toBe(false)
  })
})

it('reads a large file with unclosed brackets quickly', () => {
  const hostile = "it('a', () => { if (false) { return ( function f( const x = (".repeat(20_000)
  expect(checkTests('weakened', { path: 'src/a.test.ts', before: hostile, after: hostile })).toBe(false)
})
