import type { Case } from '../case.ts'

const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('')

const cases: Case[] = [
  {
    tool: 'diff',
    args: { before: lines(10), after: lines(10).replace('5\n', 'five\n'), path: 'a.txt', context: 1 },
    result: { diff: '--- a/a.txt\n+++ b/a.txt\n@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n', added: 1, removed: 1 },
  },
  {
    tool: 'diff',
    args: { before: lines(12), after: `0\n${lines(11)}` },
    result: {
      diff: '--- a/text\n+++ b/text\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -9,4 +10,3 @@\n 9\n 10\n 11\n-12\n',
      added: 1,
      removed: 1,
    },
  },
  {
    tool: 'diff',
    args: { before: 'a\nb', after: 'a\nb\n' },
    result: {
      diff: '--- a/text\n+++ b/text\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n',
      added: 1,
      removed: 1,
    },
  },
  {
    tool: 'diff',
    args: { before: '', after: 'é\n' },
    result: { diff: '--- a/text\n+++ b/text\n@@ -0,0 +1 @@\n+é\n', added: 1, removed: 0 },
  },
  { tool: 'diff', args: { before: 'same', after: 'same' }, result: { diff: '', added: 0, removed: 0 } },
  {
    tool: 'diff',
    args: { before: 'a\n'.repeat(6000), after: 'b\n'.repeat(6000) },
    error: 'Cannot diff: expected fewer changed lines, got 6000 old and 6000 new ones',
  },
  { tool: 'diff', args: { before: 'a' }, error: 'Cannot diff: expected after to be a string, got undefined' },
  {
    tool: 'diff',
    args: { before: 'a', after: 'b', context: -1 },
    error: 'expected context to be an integer from 0 to 100, got -1',
  },

  {
    tool: 'table',
    args: {
      rows: [
        { name: 'é|x', n: 1 },
        { name: 'two\nlines', n: 20.5 },
      ],
    },
    result: {
      markdown:
        '| name         |    n |\n| ------------ | ---: |\n| é\\|x         |    1 |\n| two<br>lines | 20.5 |\n',
    },
  },
  {
    tool: 'table',
    args: { rows: [{ a: { b: 1 } }], columns: ['a', 'toString'] },
    result: { markdown: '| a       | toString |\n| ------- | -------- |\n| {"b":1} |          |\n' },
  },
  { tool: 'table', args: { rows: [] }, result: { markdown: '' } },
  {
    tool: 'table',
    args: { rows: [null] },
    error: 'Cannot print table: expected rows[0] to be an object, got null',
  },

  {
    tool: 'outline',
    args: { markdown: '# Héllo, World!\n```sh\n# no\n```\ntext\n## C# ##\n#nope\n## C#\n' },
    result: {
      headings: [
        { level: 1, title: 'Héllo, World!', line: 1, anchor: 'héllo-world' },
        { level: 2, title: 'C#', line: 6, anchor: 'c' },
        { level: 2, title: 'C#', line: 8, anchor: 'c-1' },
      ],
    },
  },
  { tool: 'outline', args: { markdown: '' }, result: { headings: [] } },
  {
    tool: 'outline',
    args: { markdown: 3 },
    error: 'Cannot outline: expected markdown to be a string, got number',
  },
]

export default cases
