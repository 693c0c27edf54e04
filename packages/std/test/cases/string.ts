import type { Case } from '../case.ts'

const cases: Case[] = [
  {
    tool: 'slugify',
    args: { text: '  Crème Brûlée & Straße, it’s ½ off! ' },
    result: { slug: 'creme-brulee-strasse-its-1-2-off' },
  },
  { tool: 'slugify', args: { text: 'Łódź Ærø', separator: '_' }, result: { slug: 'lodz_aero' } },
  { tool: 'slugify', args: { text: '日本語 Тест', unicode: true }, result: { slug: '日本語-тест' } },
  { tool: 'slugify', args: { text: '日本語' }, result: { slug: '' } },
  { tool: 'slugify', args: { text: '' }, result: { slug: '' } },
  { tool: 'slugify', args: { text: 1 }, error: 'Cannot make slug: expected text to be a string, got number' },
  {
    tool: 'slugify',
    args: { text: 'a', separator: '/' },
    error: 'expected separator to be -, _ or ., got "/"',
  },

  { tool: 'convert_case', args: { text: 'HTTPServer2Go', to: 'snake' }, result: { text: 'http_server2_go' } },
  {
    tool: 'convert_case',
    args: { text: 'parse-XML_file name', to: 'camel' },
    result: { text: 'parseXmlFileName' },
  },
  { tool: 'convert_case', args: { text: 'élan vital', to: 'pascal' }, result: { text: 'ÉlanVital' } },
  { tool: 'convert_case', args: { text: 'fooBar', to: 'kebab' }, result: { text: 'foo-bar' } },
  { tool: 'convert_case', args: { text: 'fooBar', to: 'constant' }, result: { text: 'FOO_BAR' } },
  { tool: 'convert_case', args: { text: 'foo_bar', to: 'title' }, result: { text: 'Foo Bar' } },
  { tool: 'convert_case', args: { text: 'foo_bar', to: 'sentence' }, result: { text: 'Foo bar' } },
  { tool: 'convert_case', args: { text: '日本 x', to: 'snake' }, result: { text: '日本_x' } },
  { tool: 'convert_case', args: { text: '--', to: 'camel' }, result: { text: '' } },
  {
    tool: 'convert_case',
    args: { text: 'a', to: '__proto__' },
    error: 'expected to to be one of camel, pascal, snake',
  },
  {
    tool: 'convert_case',
    args: { to: 'camel' },
    error: 'Cannot convert case: expected text to be a string, got undefined',
  },

  {
    tool: 'truncate',
    args: { text: 'hello world', length: 8 },
    result: { text: 'hello w…', truncated: true },
  },
  {
    tool: 'truncate',
    args: { text: 'hello wide world', length: 14, keepWords: true },
    result: { text: 'hello wide…', truncated: true },
  },
  {
    tool: 'truncate',
    args: { text: '👨‍👩‍👧é👍🏽x', length: 3, ellipsis: '' },
    result: { text: '👨‍👩‍👧é👍🏽', truncated: true },
  },
  { tool: 'truncate', args: { text: 'abc', length: 3 }, result: { text: 'abc', truncated: false } },
  { tool: 'truncate', args: { text: '', length: 1 }, result: { text: '', truncated: false } },
  {
    tool: 'truncate',
    args: { text: 'x'.repeat(3_000_000), length: 2 },
    result: { text: 'x…', truncated: true },
  },
  {
    tool: 'truncate',
    args: { text: 'abc', length: 2, ellipsis: '...' },
    error: "expected ellipsis to fit into 2 characters, got '...'",
  },
  {
    tool: 'truncate',
    args: { text: 'abc', length: -1 },
    error: 'expected length to be an integer from 0, got -1',
  },

  {
    tool: 'template',
    args: {
      text: 'Hi {{ user.name }}, {{n}} {{list}} $& {{user.name}}',
      values: { user: { name: '$1é' }, n: 0, list: [1] },
    },
    result: { text: 'Hi $1é, 0 [1] $& $1é' },
  },
  {
    tool: 'template',
    args: { text: '{{a}}{{b}}', values: { a: '{{b}}' }, missing: 'keep' },
    result: { text: '{{b}}{{b}}' },
  },
  {
    tool: 'template',
    args: { text: '[{{constructor}}{{__proto__.x}}]', values: {}, missing: 'empty' },
    result: { text: '[]' },
  },
  { tool: 'template', args: { text: '{{ {{ }', values: {} }, result: { text: '{{ {{ }' } },
  {
    tool: 'template',
    args: { text: '{{a.b}}', values: { a: 1 } },
    error: "Cannot fill template: expected values to have 'a.b', got none",
  },
  { tool: 'template', args: { text: 'a', values: null }, error: 'expected values to be an object, got null' },
  {
    tool: 'template',
    args: { text: 'a', values: {}, missing: 'x' },
    error: 'expected missing to be error, keep or empty, got "x"',
  },

  {
    tool: 'word_count',
    args: { text: "It's a test. Really?\nYes 👍🏽", wordsPerMinute: 2 },
    result: { words: 5, characters: 26, lines: 2, sentences: 3, readingMinutes: 3 },
  },
  {
    tool: 'word_count',
    args: { text: '' },
    result: { words: 0, characters: 0, lines: 0, sentences: 0, readingMinutes: 0 },
  },
  {
    tool: 'word_count',
    args: { text: 'x'.repeat(2_000_001) },
    error: 'length of at most 2000000, got 2000001',
  },
  {
    tool: 'word_count',
    args: { text: 'a', wordsPerMinute: 0 },
    error: 'expected wordsPerMinute to be an integer from 1, got 0',
  },

  {
    tool: 'levenshtein',
    args: { a: 'kitten', b: 'sitting' },
    result: { distance: 3, similarity: 1 - 3 / 7 },
  },
  { tool: 'levenshtein', args: { a: 'e\u0301💩', b: 'é💩' }, result: { distance: 0, similarity: 1 } },
  { tool: 'levenshtein', args: { a: '', b: '' }, result: { distance: 0, similarity: 1 } },
  { tool: 'levenshtein', args: { a: '', b: 'ab' }, result: { distance: 2, similarity: 0 } },
  {
    tool: 'levenshtein',
    args: { a: 'x'.repeat(5001), b: '' },
    error: 'Cannot compare: expected a to have a length of at most 5000, got 5001',
  },
  { tool: 'levenshtein', args: { a: 'a', b: null }, error: 'Cannot compare: expected b to be a string' },

  {
    tool: 'dedent',
    args: { text: '\n    if (a) {\n      b\n   \n    }\n  ' },
    result: { text: 'if (a) {\n  b\n\n}' },
  },
  { tool: 'dedent', args: { text: '\ta\n  b' }, result: { text: '\ta\n  b' } },
  { tool: 'dedent', args: { text: '  a\r\n  b' }, result: { text: 'a\nb' } },
  { tool: 'dedent', args: { text: ' \n ' }, result: { text: '' } },
  { tool: 'dedent', args: { text: {} }, error: 'Cannot dedent: expected text to be a string, got object' },

  {
    tool: 'wrap',
    args: { text: 'one two  three\nfour', width: 9 },
    result: { text: 'one two\nthree\nfour' },
  },
  { tool: 'wrap', args: { text: 'éé éé\n\nx', width: 7, indent: '> ' }, result: { text: '> éé éé\n\n> x' } },
  {
    tool: 'wrap',
    args: { text: 'a https://example.org/x b', width: 5 },
    result: { text: 'a\nhttps://example.org/x\nb' },
  },
  { tool: 'wrap', args: { text: '' }, result: { text: '' } },
  {
    tool: 'wrap',
    args: { text: 'a', width: 0 },
    error: 'Cannot wrap: expected width to be an integer from 1 to 1000, got 0',
  },
  {
    tool: 'wrap',
    args: { text: 'a', width: 2, indent: '    ' },
    error: 'expected indent to be shorter than 2 characters',
  },

  {
    tool: 'replace',
    args: { text: 'a.b.c', find: '.', replacement: '$&' },
    result: { text: 'a$&b$&c', count: 2 },
  },
  {
    tool: 'replace',
    args: { text: 'aaa', find: 'aa', replacement: '', expectedCount: 1 },
    result: { text: 'a', count: 1 },
  },
  { tool: 'replace', args: { text: 'abc', find: 'x', replacement: 'y' }, result: { text: 'abc', count: 0 } },
  {
    tool: 'replace',
    args: { text: 'aa', find: 'a', replacement: 'b', expectedCount: 1 },
    error: 'Cannot replace: expected 1 places, got 2',
  },
  {
    tool: 'replace',
    args: { text: 'a', find: '', replacement: 'b' },
    error: 'expected find to hold at least one character, got none',
  },
  {
    tool: 'replace',
    args: { text: 'a', find: 'a' },
    error: 'expected replacement to be a string, got undefined',
  },
  {
    tool: 'replace',
    args: { text: 'a'.repeat(10_000), find: 'a', replacement: 'b'.repeat(10_000) },
    error: 'a result of at most 50000000 characters, got 100000000',
  },
]

export default cases
