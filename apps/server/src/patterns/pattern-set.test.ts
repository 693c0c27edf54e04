import { describe, expect, it } from 'vitest'
import { createPatternSet, EVERY_TYPE, type StoredPattern } from './pattern-set.ts'

const approve = (id: string, pattern: string, type = 'test'): StoredPattern => ({
  id,
  kind: 'approve',
  type,
  pattern,
})
const block = (id: string, pattern: string, type = 'test'): StoredPattern => ({
  id,
  kind: 'block',
  type,
  pattern,
})

describe('a set of patterns', () => {
  it('finds the approving pattern and its coverage', () => {
    const set = createPatternSet([approve('a', 'ab'), approve('b', 'xy')])
    expect(set.find('ab cd\n', 'test')).toEqual({ approvedBy: { id: 'a', coverage: 0.5 } })
    expect(set.find('none\n', 'test')).toEqual({})
  })

  it('does not approve by a pattern that misses a line', () => {
    const set = createPatternSet([approve('a', 'ab')])
    expect(set.find('ab\ncd\n', 'test')).toEqual({})
  })

  it('prefers block over approve', () => {
    const set = createPatternSet([approve('a', '.*ab.*'), block('z', 'evil'), block('y', 'evil.')])
    expect(set.find('ab evil!\n', 'test')).toEqual({ blockedBy: 'y' })
    expect(set.find('ab\n', 'test')).toEqual({ approvedBy: { id: 'a', coverage: 1 } })
  })

  it('names the pattern with the widest coverage; ties go to the lowest id', () => {
    const patterns = [approve('c', 'abc'), approve('b', 'a'), approve('d', 'abc'), approve('a', 'b')]
    for (const order of [patterns, patterns.toReversed()])
      expect(createPatternSet(order).find('abc\n', 'test')).toEqual({ approvedBy: { id: 'c', coverage: 1 } })
  })

  it('uses the patterns of a type and of type any', () => {
    const set = createPatternSet([
      approve('a', 'abc', 'any'),
      approve('b', 'abc', 'test'),
      block('c', 'evil', 'any'),
      block('d', 'odd', 'security'),
    ])
    expect(set.find('abc\n', 'test')).toEqual({ approvedBy: { id: 'a', coverage: 1 } })
    expect(set.find('abc\n', 'unknown')).toEqual({ approvedBy: { id: 'a', coverage: 1 } })
    expect(set.find('abc evil\n', 'unknown')).toEqual({ blockedBy: 'c' })
    expect(set.find('odd\n', 'security')).toEqual({ blockedBy: 'd' })
    expect(set.find('odd\n', 'test')).toEqual({})
    const typed = createPatternSet([approve('b', 'abc', 'test')])
    expect(typed.find('abc\n', 'any')).toEqual({})
    expect(typed.find('abc\n', 'security')).toEqual({})
  })

  it('uses all patterns for every type', () => {
    const typed = createPatternSet([approve('b', 'abc', 'test')])
    expect(typed.find('abc\n', EVERY_TYPE)).toEqual({ approvedBy: { id: 'b', coverage: 1 } })
  })

  it('reads ^ and $ as the ends of a line', () => {
    const set = createPatternSet([block('a', '^evil$')])
    expect(set.find('x\nevil\ny\n', 'test')).toEqual({ blockedBy: 'a' })
    expect(set.find('x evil\n', 'test')).toEqual({})
  })

  it('has no verdict without patterns', () => {
    expect(createPatternSet([]).find('a\n', 'test')).toEqual({})
  })

  it('refuses to decide with a pattern that does not compile', () => {
    const set = createPatternSet([approve('a', 'abc'), block('b', '(?=x)')])
    expect(() => set.find('abc\n', 'test')).toThrow('Cannot use pattern "(?=x)"')
  })

  it('decides the same with many patterns as with each of them alone', () => {
    const patterns = Array.from({ length: 200 }, (_, index) =>
      approve(`p${String(index).padStart(3, '0')}`, String.raw`^call${index}\(.*\)(?:;|$)|\bname${index}\b`),
    )
    const set = createPatternSet(patterns)
    for (const index of [0, 7, 42, 199]) {
      expect(set.find(`call${index}(x)\n`, 'test')).toEqual({
        approvedBy: { id: `p${String(index).padStart(3, '0')}`, coverage: 1 },
      })
      expect(set.find(`name${index}x\n`, 'test')).toEqual({})
    }
  })
})
