import { describe, expect, it } from 'vitest'
import { printOutput } from './print-output.ts'

const piped = { width: undefined, hasColor: false }

describe('the output for a person', () => {
  it('starts with short values, then tables, then long text unchanged', () => {
    const output = {
      text: 'line one\n  line two\n',
      id: 'm1',
      memos: [
        { id: 1, title: 'a', tags: ['x', 'y'] },
        { id: 22, by: null, title: 'b\nc' },
      ],
      isDone: false,
      nested: { a: [1] },
      tags: [],
    }
    expect(printOutput(output, piped)).toBe(
      [
        'id      m1',
        'isDone  false',
        'nested  {"a":[1]}',
        'tags    -',
        '',
        'memos:',
        'id  title  tags  by',
        '1   a      x, y  -',
        '22  b⏎c    -     -',
        '',
        'line one',
        '  line two',
        '',
      ].join('\n'),
    )
  })

  it('labels long texts if there are several', () => {
    expect(printOutput({ a: '1\n2', b: '3\n4' }, piped)).toBe('a:\n1\n2\n\nb:\n3\n4\n')
  })

  it('says "done" if there is nothing else to say', () => {
    expect(printOutput({}, piped)).toBe('done\n')
  })

  it('cuts the widest column to the width of a terminal, and nothing without one', () => {
    const rows = [{ name: 'short', about: 'long '.repeat(40).trim() }]
    const lines = printOutput({ rows }, { ...piped, width: 60 }).split('\n')
    expect(lines.at(2)).toMatch(/^short {2}long .*…$/)
    expect(Math.max(...lines.map((line) => line.length))).toBe(60)
    expect(printOutput({ rows }, piped)).toContain('long '.repeat(40).trim())
  })

  it('cannot control the terminal, in any position', () => {
    const evil = '\u001B[2J\u009B31m'
    const output = { [evil]: evil, text: `a\n${evil}`, rows: [{ [evil]: evil }], list: [evil] }
    expect(printOutput(output, piped).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })
})
