import { describe, expect, it } from 'vitest'
import { PmlError } from '@pml/core'
import { commandOf } from '../../test/memo-tools.ts'
import { flagKindsOf } from './flag-kinds.ts'
import { parseCommandLine } from './parse-command-line.ts'
import { splitArguments } from './split-arguments.ts'

type Files = Record<string, string | Uint8Array>

/** The arguments that `pml memo create …` sends, with these files; `-` is stdin. */
async function parse(argv: string[], { tool = 'memo_create', files = {} as Files } = {}): Promise<unknown> {
  const command = commandOf(tool)
  const { rest: _, ...split } = splitArguments(argv, { kinds: flagKindsOf(command, { flags: [] }) })
  const read = async (path: string) => {
    if (path === 'folder') throw Object.assign(new Error('EISDIR: read'), { code: 'EISDIR' })
    const content = files[path]
    if (content === undefined) throw Object.assign(new Error('ENOENT: open'), { code: 'ENOENT' })
    return typeof content === 'string' ? new TextEncoder().encode(content) : content
  }
  const io = { read, print: () => {}, tell: () => {}, width: undefined, hasColor: false }
  return parseCommandLine({ ...split, command, io })
}

async function refusal(argv: string[], rest: Parameters<typeof parse>[1] = {}): Promise<PmlError> {
  const outcome = await parse(argv, rest).catch((error: unknown) => error)
  if (outcome instanceof PmlError) return outcome
  throw new Error(`expected a refusal, got ${JSON.stringify(outcome)}`)
}

describe('a command line', () => {
  it.each<[string, string[], object]>([
    ['a value after its flag', ['--text', 'hi'], { text: 'hi' }],
    ['a value tied to its flag', ['--text=hi=there'], { text: 'hi=there' }],
    ['an empty text', ['--text', ''], { text: '' }],
    ['an empty text that is tied', ['--text='], { text: '' }],
    ['a value that begins with a dash', ['--text', '-x', '--limit', '-5'], { text: '-x', limit: -5 }],
    ['a tied value that looks like a flag', ['--text=--json'], { text: '--json' }],
    ['a word for what is required', ['hi'], { text: 'hi' }],
    ['a negative number as a word', ['-5'], { text: '-5' }],
    ['anything as a word after --', ['--', '--text'], { text: '--text' }],
    ['booleans on and off', ['x', '--deep'], { text: 'x', deep: true }],
    ['a boolean off', ['x', '--no-deep'], { text: 'x', deep: false }],
    ['a boolean off by a tied value', ['x', '--deep=false'], { text: 'x', deep: false }],
    ['a boolean before a word', ['--deep', 'x'], { text: 'x', deep: true }],
    ['repeated flags as an array', ['x', '--tags', 'a', '--tags=b'], { text: 'x', tags: ['a', 'b'] }],
    ['an empty array', ['x', '--no-tags'], { text: 'x', tags: [] }],
    [
      'items of their type',
      ['x', '--sizes', '1', '--votes', 'false'],
      { text: 'x', sizes: [1], votes: [false] },
    ],
    ['numbers', ['x', '--ratio', '-1.5e3', '--limit=7'], { text: 'x', ratio: -1500, limit: 7 }],
    ['a choice', ['x', '--kind', 'todo'], { text: 'x', kind: 'todo' }],
    ['camelCase as words', ['x', '--expires-in-days', '3'], { text: 'x', expiresInDays: 3 }],
  ])('accepts %s', async (_, argv, args) => {
    expect(await parse(argv)).toEqual(args)
  })

  it('fills required parameters from words in schema order, except those given by a flag', async () => {
    const tool = 'memo_move'
    expect(await parse(['a', '3', '--is-forced'], { tool })).toEqual({ from: 'a', by: 3, isForced: true })
    expect(await parse(['3', '--no-is-forced', '--from', 'a'], { tool })).toMatchObject({ from: 'a', by: 3 })
  })

  it('gives the remaining words to the list that takes them', async () => {
    const tool = 'memo_tag'
    expect(await parse(['7', 'me'], { tool })).toEqual({ id: 7, by: 'me' })
    expect(await parse(['7', 'me', '1', '-2'], { tool })).toEqual({ id: 7, by: 'me', votes: [1, -2] })
    expect(await parse(['--by', 'me', '7', '1'], { tool })).toEqual({ id: 7, by: 'me', votes: [1] })
    expect(await parse(['7', 'me', '--votes', '1'], { tool })).toEqual({ id: 7, by: 'me', votes: [1] })
    expect(await parse(['a', '--', '--b'], { tool: 'memo_find' })).toEqual({ names: ['a', '--b'] })
    const files = { '-': '{"names":["c"],"deep":true}' }
    const input = { tool: 'memo_find', files }
    expect(await parse(['--input', '-', 'a'], input)).toEqual({ names: ['a'], deep: true })
  })

  it('reads text from a file and from stdin unchanged', async () => {
    const files = { 'a.txt': '\u{feff}one\ntwo\n', '-': 'piped' }
    expect(await parse(['--text-file', 'a.txt'], { files })).toEqual({ text: '\u{feff}one\ntwo\n' })
    expect(await parse(['--text-file', '-'], { files })).toEqual({ text: 'piped' })
  })

  it('accepts arguments as JSON; flags override them', async () => {
    const files = { '-': '{"text":"json","limit":3,"tags":["a"]}' }
    expect(await parse(['--input', '-'], { files })).toEqual({ text: 'json', limit: 3, tags: ['a'] })
    expect(await parse(['--input=-', '--limit', '4', '--no-tags', 'word'], { files })).toEqual({
      text: 'word',
      limit: 4,
      tags: [],
    })
  })
})

describe('--input', () => {
  it.each<[string, string, string[], object]>([
    ['an object as it is written', 'memo_create', ['--input', '{"text":"a"}'], { text: 'a' }],
    ['one after spaces, tied', 'memo_create', ['--input= \n{"text":"a"}'], { text: 'a' }],
    ['one for a parameter', 'memo_apply', ['a:b', '--input', '{"x":[1]}'], { tool: 'a:b', args: { x: [1] } }],
    [
      'names of parameters in it',
      'memo_apply',
      ['t', '--input={"tool":1}'],
      { tool: 't', args: { tool: 1 } },
    ],
    ['a file for a parameter', 'memo_apply', ['t', '--input', 'a.json'], { tool: 't', args: { y: null } }],
    ['stdin for a parameter', 'memo_apply', ['--input', '-', 't'], { tool: 't', args: {} }],
    ['nothing for a parameter', 'memo_apply', ['t', '--deep'], { tool: 't', deep: true }],
  ])('accepts %s', async (_, tool, argv, args) => {
    expect(await parse(argv, { tool, files: { 'a.json': '{"y":null}', '-': '{}' } })).toEqual(args)
  })

  it('reads a file with a name like JSON by its path', async () => {
    expect(await parse(['--input', './{a}'], { files: { './{a}': '{"text":"b"}' } })).toEqual({ text: 'b' })
  })

  it('leaves stdin free if it contains the JSON itself', async () => {
    const argv = ['--input', '{"limit":3}', '--text-file', '-']
    expect(await parse(argv, { files: { '-': 'hi' } })).toEqual({ text: 'hi', limit: 3 })
  })

  it.each([
    ['{"a":1,}', '--input:1:8: expected'],
    ['{"a":1,"a":2}', 'Cannot read --input: --input:1:8: a: expected each key once'],
  ])('refuses %j and names the position', async (json, message) => {
    const error = await refusal(['t', '--input', json], { tool: 'memo_apply' })
    expect(error).toMatchObject({ code: 'invalid_json', exitCode: 2 })
    expect(error.message).toContain(message)
  })

  it('is the only way to fill its parameter', async () => {
    const { detail } = await refusal(['t', '--args', '{}'], { tool: 'memo_apply' })
    expect(detail.issues).toMatchObject([{ path: ['--args'] }, { path: ['{}'] }])
  })
})

describe('a command line refuses', () => {
  it.each<[string, string[], string, string]>([
    ['an unknown flag', ['x', '--limt', '3'], '--limt', 'there is no such flag; did you mean --limit?'],
    [
      'a parameter spelled as in the schema',
      ['x', '--expiresInDays=3'],
      '--expiresInDays',
      'did you mean --expires-in-days?',
    ],
    ['one dash', ['x', '-json'], '-json', 'did you mean --json?'],
    ['__proto__', ['x', '--__proto__', '1'], '--__proto__', 'there is no such flag'],
    ['constructor', ['x', '--constructor=1'], '--constructor', 'there is no such flag'],
    ['nothing where something is required', [], 'text', 'it is required; give it by --text'],
    [
      'a flag in the place of a value',
      ['--text', '--deep'],
      '--text',
      'if --deep is the value, tie it: --text=…',
    ],
    [
      'a value that is missing at the end',
      ['x', '--limit'],
      '--limit',
      'expected a value after it, got nothing',
    ],
    ['a word too many', ['x', 'y'], 'y', 'no parameter takes this word'],
    ['hexadecimal', ['x', '--limit', '0x10'], 'limit', 'expected a whole number, got "0x10"'],
    ['a fraction for a whole number', ['x', '--limit', '1.5'], 'limit', 'expected a whole number'],
    [
      'a whole number that would be rounded',
      ['x', '--limit', '9007199254740993'],
      'limit',
      'expected a whole number',
    ],
    ['an empty number', ['x', '--ratio='], 'ratio', 'expected a number, got ""'],
    ['a number beyond all numbers', ['x', '--ratio', '1e999'], 'ratio', 'expected a number, got "1e999"'],
    ['infinity', ['x', '--ratio', 'Infinity'], 'ratio', 'expected a number'],
    [
      'an item of another type',
      ['x', '--sizes', '1', '--sizes', 'b'],
      'sizes',
      'expected a whole number, got "b"',
    ],
    ['a value for a boolean', ['x', '--deep=maybe'], 'deep', 'expected true or false, got "maybe"'],
    ['a value for a negation', ['x', '--no-deep=true'], '--no-deep', 'it takes no value'],
    [
      'a choice that is none',
      ['x', '--kind', 'tood'],
      'kind',
      'expected one of "note", "todo", "\'tis\' $(touch pwned)", got "tood"; did you mean "todo"?',
    ],
    ['a scalar given twice', ['--text', 'a', '--text', 'b'], 'text', 'expected one value, got 2'],
    [
      'a scalar given and read from a file',
      ['--text', 'a', '--text-file', '-'],
      'text',
      'expected one value, got 2',
    ],
    ['a boolean on and off', ['x', '--deep', '--no-deep'], 'deep', 'expected one value, got 2'],
    [
      'an array with values and none',
      ['x', '--tags', 'a', '--no-tags'],
      'tags',
      'expected values or --no-tags, got both',
    ],
    [
      'a file that is not there',
      ['--text-file', 'b.txt'],
      'text',
      'cannot read b.txt: there is no such file',
    ],
    ['a directory as text', ['--text-file', 'folder'], 'text', 'it is a directory, expected a file'],
    ['a directory as input', ['x', '--input', 'folder'], '--input', 'it is a directory, expected a file'],
    ['bytes that are no text', ['--text-file', 'bytes'], 'text', 'cannot read bytes: expected UTF-8 text'],
    ['input twice', ['--input', 'a', '--input', 'b'], '--input', 'expected it once, got it 2 times'],
    ['two readers of stdin', ['--text-file', '-', '--input', '-'], '-', 'stdin can be read once'],
    ['an array as input', ['x', '--input', 'list'], '--input', 'expected a JSON object'],
    [
      'an unknown parameter in the input',
      ['x', '--input', 'slip'],
      'limt',
      'there is no such parameter; did you mean limit?',
    ],
    ['__proto__ in the input', ['x', '--input', 'proto'], '__proto__', 'there is no such parameter'],
  ])('%s', async (_, argv, path, message) => {
    const bytes = new Uint8Array([0xff, 0xfe])
    const files = { bytes, '-': 'hi', list: '[1]', slip: '{"limt":1}', proto: '{"__proto__":{"limit":1}}' }
    const error = await refusal(argv, { files })
    const issues = error.detail.issues as { path: string[]; message: string }[]
    expect(error).toMatchObject({ code: 'invalid_arguments', exitCode: 2 })
    expect(issues.map((issue) => issue.path.join('.'))).toContain(path)
    expect(issues.find((issue) => issue.path.join('.') === path)?.message).toContain(message)
  })

  it.each<[string, string, string[], string, string]>([
    [
      'words and flags for one list',
      'memo_find',
      ['a', '--names', 'b'],
      'names',
      'words or --names, got both',
    ],
    ['words for a list and none', 'memo_find', ['a', '--no-names'], 'names', 'words or --names, got both'],
    ['a word that is no item', 'memo_tag', ['7', 'me', 'x'], 'votes', 'expected a whole number, got "x"'],
    ['no words where some are required', 'memo_find', [], 'names', 'it is required'],
  ])('%s', async (_, tool, argv, path, message) => {
    const { detail } = await refusal(argv, { tool })
    expect(detail.issues).toEqual([{ path: [path], message: expect.stringContaining(message) }])
  })

  it('names every problem in one error', async () => {
    const error = await refusal(['--limt', '--ratio', 'x', '--sizes', 'y', '--input', 'slip'], {
      files: { slip: '{"dep":1}' },
    })
    const issues = error.detail.issues as { path: string[] }[]
    expect(issues.flatMap(({ path }) => path)).toEqual(['--limt', 'dep', 'text', 'ratio', 'sizes'])
  })

  it.each([
    ['{"text": }', 'stdin:1:10: expected valid JSON'],
    ['{"text":"a","text":"b"}', 'stdin:1:13: text: expected each key once'],
    ['', 'stdin:1:1: expected valid JSON'],
  ])('%j as input, and names the position', async (json, message) => {
    const error = await refusal(['--input', '-'], { files: { '-': json } })
    expect(error).toMatchObject({ code: 'invalid_json', exitCode: 2 })
    expect(error.message).toContain(message)
  })

  it('more than 4 MiB of input', async () => {
    const files = { big: new Uint8Array(4 * 1024 * 1024 + 1) }
    for (const argv of [
      ['--input', 'big'],
      ['--text-file', 'big'],
    ])
      expect(await refusal(argv, { files })).toMatchObject({ code: 'too_large' })
  })
})
