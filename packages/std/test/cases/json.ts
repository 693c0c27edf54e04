import type { Case } from '../case.ts'

/** Written as text because in a literal `__proto__` is not a key. */
const proto = JSON.parse('{"__proto__":{"a":1}}')

const cases: Case[] = [
  { tool: 'parse', args: { text: ' {"a":[1,"é"]} ' }, result: { value: { a: [1, 'é'] } } },
  { tool: 'parse', args: { text: '{"__proto__":{"a":1}}' }, result: { value: proto } },
  { tool: 'parse', args: { text: 'null' }, result: { value: null } },
  {
    tool: 'parse',
    args: { text: '' },
    error: 'expected a value at line 1, column 1, got the end of the text',
  },
  { tool: 'parse', args: { text: '{"a": 1,}' }, error: 'expected a key at line 1, column 9, got "}"' },
  {
    tool: 'parse',
    args: { text: '{\n  "a": tru\n}' },
    error: 'expected a value at line 2, column 8, got "tru\\n}"',
  },
  { tool: 'parse', args: { text: '[1 2]' }, error: 'expected , or ] at line 1, column 4, got "2]"' },
  { tool: 'parse', args: { text: '[1}' }, error: 'expected , or ] at line 1, column 3, got "}"' },
  { tool: 'parse', args: { text: '{"a" 1}' }, error: 'expected : at line 1, column 6, got "1}"' },
  {
    tool: 'parse',
    args: { text: '[' },
    error: 'expected a value or ] at line 1, column 2, got the end of the text',
  },
  {
    tool: 'parse',
    args: { text: '{} {}' },
    error: 'expected the end of the text at line 1, column 4, got "{}"',
  },
  { tool: 'parse', args: { text: '"a\nb"' }, error: 'expected a value at line 1, column 1' },
  {
    tool: 'parse',
    args: { text: '['.repeat(200_000) },
    error: 'expected a value or ] at line 1, column 200001',
  },
  { tool: 'parse', args: { text: 5 }, error: 'Cannot parse JSON: expected text to be a string, got number' },

  { tool: 'format', args: { value: { b: 1, a: [] } }, result: { text: '{\n  "b": 1,\n  "a": []\n}' } },
  {
    tool: 'format',
    args: { value: { b: { d: 1, c: 2 }, a: [{ z: 1, y: 2 }] }, indent: 0, sortKeys: true },
    result: { text: '{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}' },
  },
  {
    tool: 'format',
    args: { value: proto, indent: 0, sortKeys: true },
    result: { text: '{"__proto__":{"a":1}}' },
  },
  { tool: 'format', args: { value: null }, result: { text: 'null' } },
  { tool: 'format', args: {}, error: 'Cannot format JSON: expected value to be a JSON value, got undefined' },
  {
    tool: 'format',
    args: { value: 1, indent: '2' },
    error: 'expected indent to be an integer from 0 to 10, got "2"',
  },

  {
    tool: 'get_path',
    args: { document: { a: [{ b: 5 }] }, pointer: '/a/0/b' },
    result: { found: true, value: 5 },
  },
  {
    tool: 'get_path',
    args: { document: { 'a/b': { 'm~n': 1 } }, pointer: '/a~1b/m~0n' },
    result: { found: true, value: 1 },
  },
  { tool: 'get_path', args: { document: { '': 0 }, pointer: '/' }, result: { found: true, value: 0 } },
  { tool: 'get_path', args: { document: [1], pointer: '' }, result: { found: true, value: [1] } },
  { tool: 'get_path', args: { document: { a: null }, pointer: '/a' }, result: { found: true, value: null } },
  { tool: 'get_path', args: { document: [1, 2], pointer: '/01' }, result: { found: false } },
  { tool: 'get_path', args: { document: [1, 2], pointer: '/length' }, result: { found: false } },
  { tool: 'get_path', args: { document: {}, pointer: '/__proto__/toString' }, result: { found: false } },
  { tool: 'get_path', args: { document: proto, pointer: '/__proto__/a' }, result: { found: true, value: 1 } },
  {
    tool: 'get_path',
    args: { document: {}, pointer: 'a' },
    error: "expected pointer to be a JSON Pointer such as /a/0, got 'a'",
  },
  {
    tool: 'get_path',
    args: { document: {}, pointer: '/~2' },
    error: 'expected pointer to be a JSON Pointer',
  },
  {
    tool: 'get_path',
    args: { document: {} },
    error: 'Cannot get path: expected pointer to be a string, got undefined',
  },

  {
    tool: 'set_path',
    args: { document: { a: 1 }, pointer: '/b/c', value: 2 },
    result: { document: { a: 1, b: { c: 2 } } },
  },
  {
    tool: 'set_path',
    args: { document: { a: [1, 2] }, pointer: '/a/1', value: 9 },
    result: { document: { a: [1, 9] } },
  },
  { tool: 'set_path', args: { document: [1], pointer: '/-', value: 2 }, result: { document: [1, 2] } },
  { tool: 'set_path', args: { document: [1], pointer: '', value: null }, result: { document: null } },
  {
    tool: 'set_path',
    args: { document: {}, pointer: '/__proto__/a', value: 1 },
    result: { document: proto },
  },
  {
    tool: 'set_path',
    args: { document: [1], pointer: '/5', value: 2 },
    error: "expected an index from 0 to 1, got '5'",
  },
  {
    tool: 'set_path',
    args: { document: { a: 1 }, pointer: '/a/b', value: 2 },
    error: "an object or array that has 'b', got 1",
  },
  {
    tool: 'set_path',
    args: { document: {}, pointer: '/a' },
    error: 'Cannot set path: expected value to be a JSON value',
  },
  {
    tool: 'set_path',
    args: { document: {}, pointer: 'a', value: 1 },
    error: "expected pointer to be a JSON Pointer such as /a/0, got 'a'",
  },

  {
    tool: 'merge_patch',
    args: { document: { a: 'b', c: { d: 'e', f: 'g' } }, patch: { a: 'z', c: { f: null } } },
    result: { document: { a: 'z', c: { d: 'e' } } },
  },
  {
    tool: 'merge_patch',
    args: { document: { a: [1] }, patch: { a: [2], b: { c: null, d: 1 } } },
    result: { document: { a: [2], b: { d: 1 } } },
  },
  { tool: 'merge_patch', args: { document: { a: 1 }, patch: ['c'] }, result: { document: ['c'] } },
  { tool: 'merge_patch', args: { document: 'x', patch: proto }, result: { document: proto } },
  { tool: 'merge_patch', args: { document: { a: 1 }, patch: null }, result: { document: null } },
  {
    tool: 'merge_patch',
    args: { patch: {} },
    error: 'Cannot merge: expected document to be a JSON value, got undefined',
  },
  {
    tool: 'merge_patch',
    args: { document: {} },
    error: 'Cannot merge: expected patch to be a JSON value, got undefined',
  },

  {
    tool: 'diff',
    args: { from: { a: [1, { b: 2 }] }, to: { a: [1, { b: 2 }] } },
    result: { equal: true, patch: [] },
  },
  {
    tool: 'diff',
    args: { from: { a: 1, 'b/c': 1, d: [1, 2, 3] }, to: { a: 2, d: [1], e: null } },
    result: {
      equal: false,
      patch: [
        { op: 'replace', path: '/a', value: 2 },
        { op: 'remove', path: '/b~1c' },
        { op: 'remove', path: '/d/2' },
        { op: 'remove', path: '/d/1' },
        { op: 'add', path: '/e', value: null },
      ],
    },
  },
  {
    tool: 'diff',
    args: { from: {}, to: [] },
    result: { equal: false, patch: [{ op: 'replace', path: '', value: [] }] },
  },
  {
    tool: 'diff',
    args: { from: {}, to: proto },
    result: { equal: false, patch: [{ op: 'add', path: '/__proto__', value: { a: 1 } }] },
  },
  {
    tool: 'diff',
    args: { from: {} },
    error: 'Cannot diff JSON: expected to to be a JSON value, got undefined',
  },

  {
    tool: 'apply_patch',
    args: {
      document: { a: 1, 'b/c': 1, d: [1, 2, 3] },
      patch: [
        { op: 'replace', path: '/a', value: 2 },
        { op: 'remove', path: '/b~1c' },
        { op: 'remove', path: '/d/2' },
        { op: 'remove', path: '/d/1' },
        { op: 'add', path: '/e', value: null },
      ],
    },
    result: { document: { a: 2, d: [1], e: null } },
  },
  {
    tool: 'apply_patch',
    args: {
      document: { a: [1, 3], b: { c: 1 } },
      patch: [
        { op: 'test', path: '/b', value: { c: 1 } },
        { op: 'add', path: '/a/1', value: 2 },
        { op: 'add', path: '/a/-', value: 4 },
        { op: 'copy', from: '/b', path: '/d' },
        { op: 'move', from: '/b/c', path: '/e' },
      ],
    },
    result: { document: { a: [1, 2, 3, 4], b: {}, d: { c: 1 }, e: 1 } },
  },
  {
    tool: 'apply_patch',
    args: { document: 1, patch: [{ op: 'replace', path: '', value: [2] }] },
    result: { document: [2] },
  },
  {
    tool: 'apply_patch',
    args: { document: {}, patch: [{ op: 'add', path: '/__proto__', value: { a: 1 } }] },
    result: { document: proto },
  },
  { tool: 'apply_patch', args: { document: proto, patch: [] }, result: { document: proto } },
  {
    tool: 'apply_patch',
    args: { document: {}, patch: [{ op: 'add', path: '/__proto__/polluted', value: 1 }] },
    error: "operation 0: there is nothing at '/__proto__/polluted'",
  },
  {
    tool: 'apply_patch',
    args: { document: { a: 1 }, patch: [{ op: 'test', path: '/a', value: 2 }] },
    error: "operation 0: expected 2 at '/a'",
  },
  {
    tool: 'apply_patch',
    args: { document: [1], patch: [{ op: 'add', path: '/3', value: 2 }] },
    error: "there is no place at '/3'",
  },
  {
    tool: 'apply_patch',
    args: { document: { a: {} }, patch: [{ op: 'move', from: '/a', path: '/a/b' }] },
    error: "expected a path outside of '/a'",
  },
  {
    tool: 'apply_patch',
    args: { document: {}, patch: [{ op: 'remove', path: '/a' }] },
    error: "there is nothing at '/a'",
  },
  { tool: 'apply_patch', args: { document: {}, patch: [{ op: 'jump', path: '/a' }] }, error: "got 'jump'" },
  {
    tool: 'apply_patch',
    args: { document: {}, patch: [{ op: 'add', path: '/a' }] },
    error: 'expected a value, got none',
  },
  {
    tool: 'apply_patch',
    args: { document: {}, patch: {} },
    error: 'expected patch to be an array of at most 10000 operations',
  },

  {
    tool: 'flatten',
    args: { value: { a: { 'b/c': [1, null] }, d: {}, e: [] } },
    result: {
      leaves: [
        { pointer: '/a/b~1c/0', value: 1 },
        { pointer: '/a/b~1c/1', value: null },
        { pointer: '/d', value: {} },
        { pointer: '/e', value: [] },
      ],
    },
  },
  { tool: 'flatten', args: { value: 'x' }, result: { leaves: [{ pointer: '', value: 'x' }] } },
  { tool: 'flatten', args: { value: proto }, result: { leaves: [{ pointer: '/__proto__/a', value: 1 }] } },
  { tool: 'flatten', args: {}, error: 'Cannot flatten: expected value to be a JSON value, got undefined' },
]

export default cases
