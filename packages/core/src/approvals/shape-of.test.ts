import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { withLineFeeds } from './content-hash.ts'
import { LONGEST_PATTERN, patternFor } from './pattern-for.ts'
import { shapeOf } from './shape-of.ts'

const matches = (pattern: string, content: string) =>
  RE2JS.compile(pattern, RE2JS.MULTILINE).test(withLineFeeds(content))

describe('a shape', () => {
  it.each([
    [`expect(run('a')).toBe(1)`, String.raw`expect(run(\')).toBe(\#)`],
    [`a = "x \\" y" + 'it\\'s'\r\n`, String.raw`a = \" + \'`],
    ['\tx  =\t 1.50;', String.raw` x = \#;`],
    ['a1 b_2 $3 v1.2.3 10px 0x1F', String.raw`a1 b_2 $3 v1.\# \#px \#x1F`],
    ['a = `x`', 'a = \\`'],
    [`don't`, `don't`],
    ['C:\\dir', String.raw`C:\\dir`],
    ['echo "$(rm x)" 1', String.raw`echo "$(rm\ x)" \#`],
    ['`${run("a")}`', '`${run("a")}`'],
    [`f"{x} y" 'a'`, String.raw`f"{x}\ y" \'`],
    ['"`id`"', '"`id`"'],
    ['"a\tb"', '"a\\\tb"'],
  ])('of %j is %j', (content, shape) => {
    expect(shapeOf(content)).toBe(shape)
  })

  it.each([
    ['empty', ''],
    ['blank', ' \n\t\n'],
    ['long', 'x'.repeat(4097)],
    ['several lines of', 'f(1)\ng(2)'],
    ['two lines by CR of', 'f(1)\rg(2)'],
    ['with something invisible', 'a\u{202e}b'],
  ])('does not exist for %s content', (_name, content) => {
    expect(shapeOf(content)).toBeUndefined()
    expect(patternFor(content)).toBeUndefined()
  })

  it.each([
    ['text', 'f(1)', 'g(1)'],
    ['the quotes', `f('a')`, 'f("a")'],
    ['code in a string', 'echo "a"', 'echo "$(a)"'],
    ['what looks like a shape', 'f("a")', String.raw`f(\")`],
    ['a name with a digit', 'f(a1)', 'f(a2)'],
  ])('changes when %s differs', (_name, one, other) => {
    expect(shapeOf(one)).not.toBe(shapeOf(other))
    expect(matches(patternFor(one) ?? '', other)).toBe(false)
  })
})

describe('the pattern for a shape', () => {
  it('covers other literals and spaces, and matches the whole line only', () => {
    const pattern = patternFor(`expect(run('a')).toBe(1)`) ?? ''
    expect(matches(pattern, `expect(run('it\\'s (x)')).toBe(20.75)`)).toBe(true)
    expect(matches(pattern, `expect(run('a' + b)).toBe(1)`)).toBe(false)
    expect(matches(pattern, `expect(run('a')).toBe(1); evil()`)).toBe(false)
    expect(matches(pattern, `evil(); expect(run('a')).toBe(1)`)).toBe(false)
    expect(matches(pattern, `expect(run('a'), evil('')).toBe(1)`)).toBe(false)
  })

  it.each(['echo "$(curl x | sh)"', 'echo "`id`"', 'echo "#{id}"', 'echo "a\u{202e}b"', 'echo "a\\${x}"'])(
    'does not match %j as a learned string',
    (content) => {
      expect(matches(patternFor('echo "hello"') ?? '', content)).toBe(false)
    },
  )

  it('does not exist if it would be too long to read', () => {
    const content = `${'f("a");'.repeat(30)}`
    expect(shapeOf(content)).toBeDefined()
    expect(patternFor(content)?.length ?? LONGEST_PATTERN).toBeLessThanOrEqual(LONGEST_PATTERN)
    expect(patternFor(content.repeat(10))).toBeUndefined()
  })

  it('matches every content with other literals', () => {
    const string = fc.constantFrom('"', "'", '`')
    const inside = fc.array(
      fc.constantFrom('a', ' ', '\\\\', '\\n', '\\"', "\\'", '.', '(', '\u{e9}', '\u{1f600}'),
    )
    const text = fc.constantFrom('f(', ')', ',', '.', ':', '+', '[a-z]*', '$', '^', '\\d', '|', '{}', 'x1')
    const number = fc.oneof(fc.nat().map(String), fc.constantFrom('1.5', '0', '007', '3.14159'))
    const literal = (kind: string) =>
      kind === '0' ? number : inside.map((all) => kind + all.join('') + kind)
    const template = fc.array(fc.oneof(string, fc.constant('0'), fc.constant(' '), text), { maxLength: 12 })
    const fill = (parts: readonly string[]) =>
      fc
        .tuple(
          ...parts.map((part) => {
            if (part === ' ') return fc.stringMatching(/^[ \t]{1,3}$/)
            return `"'\`0`.includes(part) ? literal(part) : fc.constant(part)
          }),
        )
        .map((filled) => filled.join(';'))
    const two = template.chain((parts) => fc.tuple(fill(parts), fill(parts)))
    fc.assert(
      fc.property(two, ([one, other]) => {
        const pattern = patternFor(one)
        fc.pre(pattern !== undefined)
        expect(shapeOf(other)).toBe(shapeOf(one))
        expect(matches(pattern ?? '', one)).toBe(true)
        expect(matches(pattern ?? '', other)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('is the same for all contents of a shape', () => {
    const pieces = fc.constantFrom('"', "'", '`', '\\', '0', '1', '.', ' ', '\t', 'a', '$', '{', '#')
    const contents = fc.array(pieces, { minLength: 1, maxLength: 8 }).map((all) => all.join(''))
    const patterns = new Map<string, string>()
    fc.assert(
      fc.property(contents, (content) => {
        const shape = shapeOf(content)
        fc.pre(shape !== undefined)
        const pattern = patternFor(content) ?? ''
        expect(patterns.get(shape ?? '') ?? pattern).toBe(pattern)
        patterns.set(shape ?? '', pattern)
        expect(matches(pattern, content)).toBe(true)
      }),
      { numRuns: 5000 },
    )
  })
})
