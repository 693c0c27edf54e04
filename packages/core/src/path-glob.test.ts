import { describe, expect, it } from 'vitest'
import { findGlobProblem, parsePathGlobs, plainPath } from './path-glob.ts'

const globs = (...texts: readonly string[]) => {
  const isMatch = parsePathGlobs(texts)
  return (path: string) => isMatch(plainPath(path))
}

describe('globs', () => {
  it('match if one of them matches', () => {
    const isMatch = globs('/etc/**', '**/*.{test,spec}.ts', 'src/a,b', '**/.env')
    const matching = ['/etc/x', 'a.test.ts', '/x/a.spec.ts', 'src/a,b', '.env', 'a/.env']
    expect(matching.filter((path) => !isMatch(path))).toEqual([])
    expect(['etc/x', 'a.ts', 'x/src/a,b', 'src/a', 'x.env', ''].filter(isMatch)).toEqual([])
  })

  it('match nothing if the list is empty', () => {
    expect(['', 'a', '/'].filter(globs())).toEqual([])
  })
})

describe('a glob', () => {
  it.each([
    ['*.ts', ['a.ts', 'A.TS', '.ts'], ['a/b.ts', 'a.tsx', 'ats']],
    ['**/*.ts', ['a.ts', 'x/y/a.ts', '/x/a.ts', 'x\\a.ts'], ['a.js']],
    ['src/**', ['src/a', 'src/a/b.c'], ['src', 'lib/src/a']],
    ['**/test/**', ['test/a', 'x/test/a/b'], ['tests/a', 'test']],
    ['a?c', ['abc', 'a.c'], ['ac', 'a/c']],
    ['*.{test,spec}.ts', ['a.test.ts', 'a.spec.ts'], ['a.ts', 'a.testspec.ts']],
    ['a,b', ['a,b'], ['a', 'b']],
    ['a+(b).c$', ['a+(b).c$'], ['aab.c']],
    ['**', ['a', 'a/b', ''], []],
  ])('%s', (glob, matching, others) => {
    const isMatch = globs(glob)
    expect(matching.filter((path) => !isMatch(path))).toEqual([])
    expect(others.filter(isMatch)).toEqual([])
    expect(findGlobProblem(glob)).toBeUndefined()
  })

  it.each([
    [
      '**/.github/workflows/**',
      ['.github/./workflows/a.yml', '.github//workflows/a', '.github\\x\\..\\workflows\\a'],
    ],
    ['src/**', ['./src/a', 'test/../src/a', 'src/x/../../src/a']],
    ['../a', ['../a', '../b/../a', './../a']],
    ['/a', ['/a', '//a', '/../a', '/b/.././a']],
  ])('%s ignores detours', (glob, paths) => {
    expect(paths.filter((path) => !globs(glob)(path))).toEqual([])
    expect(globs('**/{x,test}/**')('test/../src/x/../a')).toBe(false)
  })

  it.each(['', 'a[b]', '!a', 'a\\b', '{a', 'a}', '{a,{b}}'])('is invalid: %j', (glob) => {
    expect(findGlobProblem(glob)).toMatch(/^expected /)
  })
})
