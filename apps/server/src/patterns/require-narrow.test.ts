import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { compilePattern } from './compile-pattern.ts'
import { ordinarySources } from './ordinary-sources.ts'
import { requireNarrow, type PatternKind } from './require-narrow.ts'

const judge = (text: string, kind: PatternKind) => () => requireNarrow(compilePattern(text), kind)
const everything = [
  '.*',
  String.raw`[\s\S]`,
  '^',
  '$',
  String.raw`\w`,
  ' ',
  '.',
  '',
  'a?',
  '(?:)',
  String.raw`\s`,
]
const wide = ['[a-z]+', '[^x]', String.raw`\S+`, '(?i)[a-z0-9]', '.+', '^.*[a-zA-Z].*$', '[[:alpha:]]']

describe('a narrow pattern', () => {
  it.each([...everything, ...wide])('cannot be %j, to approve or to block', (text) => {
    expect(judge(text, 'approve')).toThrow('Cannot use pattern')
    expect(judge(text, 'block')).toThrow('Cannot use pattern')
  })

  it.each(Object.entries(ordinarySources))('does not approve %s', (name, source) => {
    const starts = source.split('\n').map((line) => RE2JS.quote(line.trim().slice(0, 20)))
    const pattern = `^[ \\t]*(?:${starts.filter((start) => start !== '').join('|')})`
    expect(judge(pattern, 'approve')).toThrow(
      `it would approve ${name}, which is ordinary; make it more specific`,
    )
  })

  it.each([
    'import',
    '=',
    'def ',
    'SELECT|CREATE',
    'echo',
    'func',
    'let mut',
    'RUN',
    'runs-on',
    'display',
    '<p>',
  ])('does not block %j, which is in ordinary content', (text) => {
    expect(judge(text, 'block')).toThrow('which is ordinary')
  })

  it.each([
    '^import "[^;]+;$',
    String.raw`^a\nb$`,
    String.raw`^expect\(\s*run\(\)\)$`,
    '(?s)^BEGIN.*END$',
    String.raw`^x[\W]y$`,
    String.raw`^x\x0ay$`,
    String.raw`^x\PLy$`,
  ])('does not approve by %j, which can match a line end', (text) => {
    expect(judge(text, 'approve')).toThrow('it can match a line end')
    expect(judge(text, 'block')).not.toThrow()
  })

  it('may approve text that is only part of ordinary content', () => {
    expect(judge(String.raw`^import \{[^}\n]*\} from '[^'\n]*'$`, 'approve')).not.toThrow()
    expect(judge(String.raw`expect\(.*\)\.rejects\.toThrow\(['"].*['"]\)`, 'approve')).not.toThrow()
  })

  it.each([
    String.raw`expect\(true\)\.toBe\(false\)`,
    String.raw`\b(?:it|test|describe)\.skip\(`,
    String.raw`(?i)\bdrop\s+table\b`,
    String.raw`curl .*\|\s*(?:ba)?sh`,
    String.raw`\beval\(`,
    'console\\.log',
    ': any\\b',
    'TODO',
  ])('may block %s', (text) => {
    expect(judge(text, 'block')).not.toThrow()
  })
})
