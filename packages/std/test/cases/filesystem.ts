import { expect } from 'vitest'
import type { Case } from '../case.ts'

const cases: Case[] = [
  {
    tool: 'read_file',
    files: { 'a.txt': 'héllo ✓\n' },
    args: { path: '$DIR/a.txt' },
    result: { path: '$DIR/a.txt', content: 'héllo ✓\n', encoding: 'utf8', sizeBytes: 11 },
  },
  {
    tool: 'read_file',
    files: { 'a.txt': 'hi' },
    args: { path: '$DIR/a.txt', encoding: 'base64' },
    result: { path: '$DIR/a.txt', content: 'aGk=', encoding: 'base64', sizeBytes: 2 },
  },
  {
    tool: 'read_file',
    files: { 'bom.txt': '\uFEFFx' },
    args: { path: '$DIR/bom.txt', encoding: 'utf-8' },
    result: { path: '$DIR/bom.txt', content: '\uFEFFx', encoding: 'utf-8', sizeBytes: 4 },
  },
  {
    tool: 'read_file',
    files: { empty: '' },
    args: { path: '$DIR/empty' },
    result: { path: '$DIR/empty', content: '', encoding: 'utf8', sizeBytes: 0 },
  },
  {
    tool: 'read_file',
    args: { path: '$DIR/no.txt' },
    error: "Cannot read file: '$DIR/no.txt' does not exist",
  },
  {
    tool: 'read_file',
    args: { path: '$DIR' },
    error: "expected '$DIR' to be a file, got a directory or device",
  },
  {
    tool: 'read_file',
    args: { path: 7 },
    error: 'Cannot read file: expected path to be a string, got number',
  },
  { tool: 'read_file', args: {}, error: 'Cannot read file: expected path to be a string, got undefined' },
  {
    tool: 'read_file',
    args: { path: 'a', encoding: 'ebcdic' },
    error: "expected encoding to be one of utf8, utf-8, latin1, base64, hex, got 'ebcdic'",
  },
  {
    tool: 'read_file',
    files: { large: 'x'.repeat(10_000_001) },
    args: { path: '$DIR/large' },
    error: "Cannot read file: expected at most 10000000 bytes in '$DIR/large', got 10000001",
  },

  {
    tool: 'write_file',
    args: { path: '$DIR/a.txt', content: 'é✓' },
    result: { path: '$DIR/a.txt', sizeBytes: 5 },
    after: { 'a.txt': 'é✓' },
  },
  {
    tool: 'write_file',
    args: { path: '$DIR/b/c/a.txt', content: 'aGk=', encoding: 'base64', createDirectories: true },
    result: { path: '$DIR/b/c/a.txt', sizeBytes: 2 },
    after: { 'b/c/a.txt': 'hi' },
  },
  {
    tool: 'write_file',
    files: { 'a.txt': 'a longer text' },
    args: { path: '$DIR/a.txt', content: '', overwrite: true },
    result: { path: '$DIR/a.txt', sizeBytes: 0 },
    after: { 'a.txt': '' },
  },
  {
    tool: 'write_file',
    files: { 'a.txt': 'old' },
    args: { path: '$DIR/a.txt', content: 'new', overwrite: false },
    error: "Cannot write file: '$DIR/a.txt' exists and overwrite is false",
    after: { 'a.txt': 'old' },
  },
  {
    tool: 'write_file',
    args: { path: '$DIR/b/a.txt', content: '' },
    error: "the directory of '$DIR/b/a.txt' does not exist",
  },
  {
    tool: 'write_file',
    args: { path: '$DIR/a', content: 'a*', encoding: 'base64' },
    error: 'expected content to be padded base64',
    after: { a: null },
  },
  {
    tool: 'write_file',
    args: { path: '$DIR/a', content: '\ud800' },
    error: 'well-formed Unicode',
    after: { a: null },
  },
  {
    tool: 'write_file',
    args: { path: '$DIR/a' },
    error: 'Cannot write file: expected content to be a string, got undefined',
  },
  {
    tool: 'write_file',
    args: { path: 1, content: '' },
    error: 'Cannot write file: expected path to be a string, got number',
  },

  {
    tool: 'append_file',
    files: { log: 'one\n' },
    args: { path: '$DIR/log', content: 'é', newline: true },
    result: { path: '$DIR/log', appendedBytes: 3 },
    after: { log: 'one\né\n' },
  },
  {
    tool: 'append_file',
    args: { path: '$DIR/new', content: 'a' },
    result: { path: '$DIR/new', appendedBytes: 1 },
    after: { new: 'a' },
  },
  {
    tool: 'append_file',
    args: { path: '$DIR/b/a', content: '' },
    error: "the directory of '$DIR/b/a' does not exist",
  },
  {
    tool: 'append_file',
    args: { path: '$DIR/a', content: 5 },
    error: 'Cannot append to file: expected content to be a string, got number',
  },

  {
    tool: 'list_directory',
    files: { 'b.txt': '', 'a/x': '', '.hidden': '', 'B.txt': '' },
    args: { path: '$DIR' },
    result: {
      path: '$DIR',
      entries: [
        { name: '.hidden', type: 'file' },
        { name: 'B.txt', type: 'file' },
        { name: 'a', type: 'directory' },
        { name: 'b.txt', type: 'file' },
      ],
      truncated: false,
    },
  },
  {
    tool: 'list_directory',
    files: { '.hidden': '' },
    args: { path: '$DIR', hidden: false },
    result: { path: '$DIR', entries: [], truncated: false },
  },
  {
    tool: 'list_directory',
    args: { path: '$DIR/no' },
    error: "Cannot list directory: '$DIR/no' does not exist",
  },
  {
    tool: 'list_directory',
    files: { a: '' },
    args: { path: '$DIR/a' },
    error: "'$DIR/a' is not a directory",
  },
  {
    tool: 'list_directory',
    args: { path: null },
    error: 'Cannot list directory: expected path to be a string',
  },

  {
    tool: 'file_info',
    files: { a: 'é' },
    args: { path: '$DIR/a' },
    result: { exists: true, type: 'file', sizeBytes: 2, modifiedAt: expect.stringMatching(/^20\d\d-.*Z$/) },
  },
  {
    tool: 'file_info',
    args: { path: '$DIR' },
    result: expect.objectContaining({ exists: true, type: 'directory' }),
  },
  { tool: 'file_info', files: { a: '' }, args: { path: '$DIR/a/b' }, result: { exists: false } },
  { tool: 'file_info', args: { path: '$DIR/no' }, result: { exists: false } },
  {
    tool: 'file_info',
    args: { path: [] },
    error: 'Cannot look at file: expected path to be a string, got object',
  },

  { tool: 'make_directory', args: { path: '$DIR/a/b' }, result: { path: '$DIR/a/b' } },
  { tool: 'make_directory', files: { 'a/': '' }, args: { path: '$DIR/a' }, result: { path: '$DIR/a' } },
  {
    tool: 'make_directory',
    files: { a: '' },
    args: { path: '$DIR/a' },
    error: "a file stands at '$DIR/a' or at one of its parents",
  },
  {
    tool: 'make_directory',
    files: { a: '' },
    args: { path: '$DIR/a/b' },
    error: 'Cannot make directory: a file stands',
  },
  {
    tool: 'make_directory',
    args: {},
    error: 'Cannot make directory: expected path to be a string, got undefined',
  },

  {
    tool: 'remove_file',
    files: { a: '' },
    args: { path: '$DIR/a' },
    result: { removed: true },
    after: { a: null },
  },
  { tool: 'remove_file', args: { path: '$DIR/a', missingOk: true }, result: { removed: false } },
  { tool: 'remove_file', args: { path: '$DIR/a' }, error: "Cannot remove file: '$DIR/a' does not exist" },
  {
    tool: 'remove_file',
    files: { 'a/b': '' },
    args: { path: '$DIR/a' },
    error: 'got a directory',
    after: { 'a/b': '' },
  },
  {
    tool: 'remove_file',
    args: { path: true },
    error: 'Cannot remove file: expected path to be a string, got boolean',
  },

  {
    tool: 'move_file',
    files: { a: '1' },
    args: { from: '$DIR/a', to: '$DIR/b' },
    result: { from: '$DIR/a', to: '$DIR/b' },
    after: { a: null, b: '1' },
  },
  {
    tool: 'move_file',
    files: { a: '1', b: '2' },
    args: { from: '$DIR/a', to: '$DIR/b', overwrite: true },
    result: { from: '$DIR/a', to: '$DIR/b' },
    after: { a: null, b: '1' },
  },
  {
    tool: 'move_file',
    files: { a: '1', b: '2' },
    args: { from: '$DIR/a', to: '$DIR/b' },
    error: "Cannot move file: '$DIR/b' exists and overwrite is false",
    after: { a: '1', b: '2' },
  },
  {
    tool: 'move_file',
    args: { from: '$DIR/a', to: '$DIR/b' },
    error: "Cannot move file: '$DIR/a' does not exist",
  },
  {
    tool: 'move_file',
    files: { a: '' },
    args: { from: '$DIR/a', to: '$DIR/c/b' },
    error: "the directory of '$DIR/c/b' does not exist",
  },
  {
    tool: 'move_file',
    args: { from: 1, to: 'b' },
    error: 'Cannot move file: expected from to be a string, got number',
  },
  {
    tool: 'move_file',
    args: { from: 'a' },
    error: 'Cannot move file: expected to to be a string, got undefined',
  },

  {
    tool: 'copy_file',
    files: { a: 'é' },
    args: { from: '$DIR/a', to: '$DIR/b' },
    result: { from: '$DIR/a', to: '$DIR/b', sizeBytes: 2 },
    after: { a: 'é', b: 'é' },
  },
  {
    tool: 'copy_file',
    files: { a: '1', b: '22' },
    args: { from: '$DIR/a', to: '$DIR/b', overwrite: true },
    result: { from: '$DIR/a', to: '$DIR/b', sizeBytes: 1 },
    after: { b: '1' },
  },
  {
    tool: 'copy_file',
    files: { a: '1', b: '22' },
    args: { from: '$DIR/a', to: '$DIR/b' },
    error: "Cannot copy file: '$DIR/b' exists and overwrite is false",
    after: { b: '22' },
  },
  {
    tool: 'copy_file',
    args: { from: '$DIR/a', to: '$DIR/b' },
    error: "Cannot copy file: '$DIR/a' does not exist",
  },
  { tool: 'copy_file', args: { from: '$DIR', to: '$DIR/b' }, error: 'got a directory or device' },
  {
    tool: 'copy_file',
    files: { a: '' },
    args: { from: '$DIR/a', to: '$DIR/c/b' },
    error: "the directory of '$DIR/c/b' does not exist",
  },
  {
    tool: 'copy_file',
    args: { from: 'a', to: 2 },
    error: 'Cannot copy file: expected to to be a string, got number',
  },

  {
    tool: 'find_files',
    files: { 'a.ts': '', 'src/b.ts': '', 'src/deep/c.ts': '', 'src/c.js': '', 'node_modules/d.ts': '' },
    args: { pattern: '**/*.ts', path: '$DIR' },
    result: { files: ['a.ts', 'src/b.ts', 'src/deep/c.ts'], truncated: false },
  },
  {
    tool: 'find_files',
    files: { 'src/b.ts': '', 'src/deep/c.ts': '', 'src/bé.ts': '' },
    args: { pattern: 'src/b?.ts', path: '$DIR', skip: [] },
    result: { files: ['src/bé.ts'], truncated: false },
  },
  {
    tool: 'find_files',
    files: { a: '', b: '', 'c/d': '' },
    args: { pattern: '**', path: '$DIR', limit: 2 },
    result: { files: ['a', 'b'], truncated: true },
  },
  {
    tool: 'find_files',
    files: { ['a'.repeat(200)]: '' },
    args: { pattern: `${'a*'.repeat(1000)}b`, path: '$DIR' },
    result: { files: [], truncated: false },
  },
  {
    tool: 'find_files',
    args: { pattern: '*', path: '$DIR/no' },
    error: 'Cannot find files: expected path to be a directory, got "$DIR/no"',
  },
  {
    tool: 'find_files',
    args: { pattern: 3 },
    error: 'Cannot find files: expected pattern to be a string, got',
  },
  {
    tool: 'find_files',
    args: { pattern: '*', limit: 0 },
    error: 'expected limit to be an integer from 1 to 10000, got 0',
  },

  {
    tool: 'search_text',
    files: { 'a.md': 'one\r\nTwo (x.*)\nthree', 'b/c.ts': 'two (x.*)', 'b/bin': 'two (x.*)\0' },
    args: { text: 'two (x.*)', path: '$DIR', ignoreCase: true },
    result: {
      matches: [
        { path: '$DIR/a.md', line: 2, text: 'Two (x.*)' },
        { path: '$DIR/b/c.ts', line: 1, text: 'two (x.*)' },
      ],
      truncated: false,
    },
  },
  {
    tool: 'search_text',
    files: { 'a.md': 'x\nx\nx', 'b.ts': 'x' },
    args: { text: 'x', path: '$DIR', endings: ['.md'], limit: 2 },
    result: {
      matches: [
        { path: '$DIR/a.md', line: 1, text: 'x' },
        { path: '$DIR/a.md', line: 2, text: 'x' },
      ],
      truncated: true,
    },
  },
  {
    tool: 'search_text',
    files: { a: 'no match', '.git/a': 'needle' },
    args: { text: 'needle', path: '$DIR' },
    result: { matches: [], truncated: false },
  },
  {
    tool: 'search_text',
    files: { a: 'needle' },
    args: { text: 'needle', path: '$DIR/a' },
    result: { matches: [{ path: '$DIR/a', line: 1, text: 'needle' }], truncated: false },
  },
  {
    tool: 'search_text',
    args: { text: '', path: '$DIR' },
    error: 'expected text to be a string that is not empty, got ""',
  },
  {
    tool: 'search_text',
    args: { text: 'a', path: '$DIR/no' },
    error: "Cannot search text: '$DIR/no' does not exist",
  },

  {
    tool: 'read_lines',
    files: { a: 'one\r\ntwo\nthrée\n\nfive' },
    args: { path: '$DIR/a', start: 2, count: 2 },
    result: { lines: ['two', 'thrée'], atEnd: false },
  },
  {
    tool: 'read_lines',
    files: { a: 'one\n' },
    args: { path: '$DIR/a' },
    result: { lines: ['one'], atEnd: true },
  },
  { tool: 'read_lines', files: { a: '' }, args: { path: '$DIR/a' }, result: { lines: [], atEnd: true } },
  {
    tool: 'read_lines',
    files: { a: `${'é'.repeat(100_000)}\n`.repeat(3) + 'end' },
    args: { path: '$DIR/a', start: 4 },
    result: { lines: ['end'], atEnd: true },
  },
  { tool: 'read_lines', args: { path: '$DIR/no' }, error: "Cannot read lines: '$DIR/no' does not exist" },
  { tool: 'read_lines', args: { path: '$DIR' }, error: "Cannot read lines: '$DIR' is a directory" },
  {
    tool: 'read_lines',
    args: { path: '$DIR', start: 0 },
    error: 'expected start to be an integer from 1, got 0',
  },
  {
    tool: 'read_lines',
    args: { path: '$DIR', count: 1e9 },
    error: 'expected count to be an integer from 1 to 10000',
  },

  {
    tool: 'read_json',
    files: { 'a.json': '\uFEFF{"a":[1,null],"__proto__":{"b":1}}' },
    args: { path: '$DIR/a.json' },
    result: { value: JSON.parse('{"a":[1,null],"__proto__":{"b":1}}') },
  },
  {
    tool: 'read_json',
    files: { 'a.json': '{' },
    args: { path: '$DIR/a.json' },
    error: "'$DIR/a.json' is not JSON",
  },
  {
    tool: 'read_json',
    args: { path: '$DIR/no.json' },
    error: "Cannot read JSON file: '$DIR/no.json' does not exist",
  },
  { tool: 'read_json', args: { path: '$DIR' }, error: "expected '$DIR' to be a file" },
  {
    tool: 'read_json',
    args: {},
    error: 'Cannot read JSON file: expected path to be a string, got undefined',
  },

  {
    tool: 'write_json',
    args: { path: '$DIR/a.json', value: { é: [1] } },
    result: { path: '$DIR/a.json', sizeBytes: 24 },
    after: { 'a.json': '{\n  "é": [\n    1\n  ]\n}\n' },
  },
  {
    tool: 'write_json',
    files: { 'a.json': 'a longer text than the new one' },
    args: { path: '$DIR/a.json', value: null, indent: 0 },
    result: { path: '$DIR/a.json', sizeBytes: 5 },
    after: { 'a.json': 'null\n' },
  },
  {
    tool: 'write_json',
    args: { path: '$DIR/b/a.json', value: 1 },
    error: "the directory of '$DIR/b/a.json' does not exist",
  },
  {
    tool: 'write_json',
    args: { path: '$DIR/a.json' },
    error: 'expected value to be a JSON value, got undefined',
    after: { 'a.json': null },
  },
  {
    tool: 'write_json',
    args: { path: '$DIR/a', value: 1, indent: 99 },
    error: 'expected indent to be an integer from 0 to 10, got 99',
  },
]

export default cases
