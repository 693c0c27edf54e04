import { expect, it } from 'vitest'
import { checkTests } from './check-tests.ts'

type Case = readonly [what: string, path: string, before: string, after: string]

const JS = 'src/a.test.ts'
const PY = 'tests/test_a.py'
const inTest = (body: string) => `it('a', () => {\n  ${body}\n})\n`
const inPython = (body: string) => `def test_a():\n    ${body}\n`

it.each<Case>([
  [
    'a type in brackets',
    JS,
    inTest('expectTypeOf<A>().toEqualTypeOf<[string?]>()'),
    inTest('expectTypeOf<A>().toEqualTypeOf<[(string | undefined)?]>()'),
  ],
  [
    'a type over several lines',
    JS,
    inTest('expectTypeOf<A>().toEqualTypeOf<B>()'),
    inTest('expectTypeOf<A>().toEqualTypeOf<\n    { a: () => void; b: string }\n  >()'),
  ],
  [
    'type() to isinstance()',
    PY,
    inPython('assert type(f()) is int'),
    inPython('assert isinstance(f(), int)'),
  ],
  [
    'typeof to instanceof',
    JS,
    inTest("assert(typeof f() === 'object')"),
    inTest('assert(f() instanceof Map)'),
  ],
  [
    'a part and a range to the whole',
    JS,
    inTest('expect(f()).toEqual(expect.arrayContaining(x))\n  expect(f().length).toBeGreaterThanOrEqual(1)'),
    inTest('expect(f()).toEqual(x)'),
  ],
  [
    'an answer with a list',
    JS,
    inTest("request(app).get('/').expect('done', () => {\n    calls.should.eql(['a', 'b'])\n  })"),
    inTest("request(app).get('/').expect(200, ['a', 'b'], done)"),
  ],
  [
    'an answer with a regular expression',
    JS,
    inTest('res.text.should.startWith(x)\n  res.statusCode.should.equal(200)'),
    inTest("request(app).get('/').expect(200, /^x/, done)"),
  ],
])('may change: %s', (_, path, before, after) => {
  expect(checkTests('weakened', { path, before, after })).toBe(false)
})

it.each<Case>([
  [
    'a type that is asserted',
    JS,
    inTest('expectTypeOf<A>().toEqualTypeOf<\n    B\n  >()\n  expect(f()).toBe(1)'),
    inTest('expect(f()).toBe(1)'),
  ],
  ['a value for its type', PY, inPython('assert f() == 1'), inPython('assert type(f()) is int')],
  [
    'a value for its type in JavaScript',
    JS,
    inTest('expect(f()).toBe(1)'),
    inTest("assert(typeof f() === 'number')"),
  ],
  [
    'a value for what typeof says',
    JS,
    inTest('assert.strictEqual(f(), 1)'),
    inTest("assert.strictEqual(typeof f(), 'number')"),
  ],
  [
    'a value for anything',
    JS,
    inTest('expect(f()).toEqual(1)'),
    inTest('expect(f()).toEqual(expect.anything())'),
  ],
  [
    'a list for a part of it',
    JS,
    inTest('expect(f()).toEqual([1])'),
    inTest('expect(f()).toEqual(expect.arrayContaining([1]))'),
  ],
  ['a value for a range', JS, inTest('expect(f()).toBe(1)'), inTest('expect(f()).toBeGreaterThanOrEqual(0)')],
  [
    'a value for a range in Python',
    PY,
    inPython('self.assertEqual(f(), 1)'),
    inPython('self.assertGreaterEqual(f(), 0)'),
  ],
  [
    'an answer with a shorter list',
    JS,
    inTest("request(app).get('/').expect('done', () => {\n    calls.should.eql(['a', 'b', 'c'])\n  })"),
    inTest("request(app).get('/').expect(200, ['a'], done)"),
  ],
  [
    'a callback for no value',
    JS,
    inTest("request(app).get('/').expect(200).expect('a', done)"),
    inTest("request(app).get('/').expect(200, done)"),
  ],
  [
    'what a call makes of a literal',
    JS,
    inTest("f('a').should.equal('b')\n  g().should.equal(1)"),
    inTest('g().should.equal(1)'),
  ],
])('must not lose: %s', (_, path, before, after) => {
  expect(checkTests('weakened', { path, before, after })).toBe(true)
})

it('distinguishes a call with literals from a literal', () => {
  const isEmpty = (after: string) => checkTests('empty', { path: JS, before: undefined, after })
  expect(isEmpty(inTest("f.bind(null, 'x').should.throw(/x/)"))).toBe(false)
  expect(isEmpty(inTest("expect('x').toBe('x')"))).toBe(true)
  expect(isEmpty(inTest('expect.soft(1).toBe(1)'))).toBe(true)
  expect(isEmpty(inTest('(1).should.equal(1)'))).toBe(true)
})
