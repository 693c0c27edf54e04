import type { Case } from '../case.ts'

const cases: Case[] = [
  {
    tool: 'sort_by',
    args: { items: [10, 9, 'b', null, 'B', true, 1] },
    result: { items: [1, 9, 10, 'B', 'b', true, null] },
  },
  {
    tool: 'sort_by',
    args: {
      items: [{ n: { v: 1 } }, { n: { v: 3 }, i: 1 }, {}, { n: { v: 3 }, i: 2 }],
      by: 'n.v',
      descending: true,
    },
    result: { items: [{ n: { v: 3 }, i: 1 }, { n: { v: 3 }, i: 2 }, { n: { v: 1 } }, {}] },
  },
  {
    tool: 'sort_by',
    args: { items: [{ a: 1 }, { b: 2 }], by: '__proto__.a' },
    result: { items: [{ a: 1 }, { b: 2 }] },
  },
  { tool: 'sort_by', args: { items: [] }, result: { items: [] } },
  {
    tool: 'sort_by',
    args: { items: 'abc' },
    error: 'Cannot sort: expected items to be an array, got string',
  },
  {
    tool: 'sort_by',
    args: { items: [], by: 1 },
    error: 'Cannot sort: expected by to be a string, got number',
  },

  {
    tool: 'group_by',
    args: { items: [{ k: 1, i: 0 }, { k: '1' }, { k: 1 }, {}, { k: null }, { k: '__proto__' }], by: 'k' },
    result: {
      groups: [
        { key: 1, items: [{ k: 1, i: 0 }, { k: 1 }] },
        { key: '1', items: [{ k: '1' }] },
        { key: null, items: [{}, { k: null }] },
        { key: '__proto__', items: [{ k: '__proto__' }] },
      ],
    },
  },
  { tool: 'group_by', args: { items: [], by: 'k' }, result: { groups: [] } },
  { tool: 'group_by', args: { items: [] }, error: 'Cannot group: expected by to be a string, got undefined' },
  {
    tool: 'group_by',
    args: { items: null, by: 'k' },
    error: 'Cannot group: expected items to be an array, got null',
  },

  {
    tool: 'count_by',
    args: { items: ['a', 'b', 'b', '__proto__'] },
    result: {
      counts: [
        { key: 'b', count: 2 },
        { key: 'a', count: 1 },
        { key: '__proto__', count: 1 },
      ],
    },
  },
  {
    tool: 'count_by',
    args: { items: [{ a: { b: true } }, { a: {} }, { a: { b: true } }], by: 'a.b' },
    result: {
      counts: [
        { key: true, count: 2 },
        { key: null, count: 1 },
      ],
    },
  },
  { tool: 'count_by', args: { items: 5 }, error: 'Cannot count: expected items to be an array, got number' },

  {
    tool: 'unique_by',
    args: { items: [{ a: 1, b: 2 }, { b: 2, a: 1 }, 1, '1', 1] },
    result: { items: [{ a: 1, b: 2 }, 1, '1'], removed: 2 },
  },
  {
    tool: 'unique_by',
    args: { items: [{ id: 1, v: 'x' }, { id: 1, v: 'y' }, {}], by: 'id' },
    result: { items: [{ id: 1, v: 'x' }, {}], removed: 1 },
  },
  {
    tool: 'unique_by',
    args: { items: JSON.parse('[{"__proto__":1},{"__proto__":2}]') },
    result: { items: JSON.parse('[{"__proto__":1},{"__proto__":2}]'), removed: 0 },
  },
  {
    tool: 'unique_by',
    args: { items: {} },
    error: 'Cannot remove duplicates: expected items to be an array, got object',
  },

  {
    tool: 'intersection',
    args: { left: [3, 1, 3, { a: 1 }], right: [{ a: 1 }, 3] },
    result: { items: [3, { a: 1 }] },
  },
  {
    tool: 'intersection',
    args: { left: [{ id: 1, v: 1 }, { id: 2 }], right: [{ id: 1, v: 2 }], by: 'id' },
    result: { items: [{ id: 1, v: 1 }] },
  },
  {
    tool: 'intersection',
    args: { left: [], right: {} },
    error: 'Cannot intersect: expected right to be an array, got object',
  },

  { tool: 'difference', args: { left: [3, 1, 1, '3'], right: [3] }, result: { items: [1, '3'] } },
  {
    tool: 'difference',
    args: { left: [{ id: 1 }, { id: 2 }], right: [{ id: 1, v: 2 }], by: 'id' },
    result: { items: [{ id: 2 }] },
  },
  {
    tool: 'difference',
    args: { right: [] },
    error: 'Cannot subtract: expected left to be an array, got undefined',
  },

  { tool: 'chunk', args: { items: [1, 2, 3], size: 2 }, result: { chunks: [[1, 2], [3]] } },
  { tool: 'chunk', args: { items: [], size: 5 }, result: { chunks: [] } },
  {
    tool: 'chunk',
    args: { items: [1], size: 0 },
    error: 'Cannot chunk: expected size to be an integer from 1, got 0',
  },
  {
    tool: 'chunk',
    args: { items: 'ab', size: 1 },
    error: 'Cannot chunk: expected items to be an array, got string',
  },

  {
    tool: 'zip',
    args: {
      lists: [
        [1, 2, 3],
        ['a', 'b'],
      ],
    },
    result: {
      rows: [
        [1, 'a'],
        [2, 'b'],
      ],
    },
  },
  {
    tool: 'zip',
    args: { lists: [[1, 2], ['a']], longest: true },
    result: {
      rows: [
        [1, 'a'],
        [2, null],
      ],
    },
  },
  { tool: 'zip', args: { lists: [] }, result: { rows: [] } },
  {
    tool: 'zip',
    args: { lists: [[1], 'ab'] },
    error: 'Cannot zip: expected lists[1] to be an array, got string',
  },

  {
    tool: 'pick',
    args: { items: [{ a: 1, b: 2, c: 3 }, { b: 4 }], keys: ['c', 'a'] },
    result: { items: [{ c: 3, a: 1 }, {}] },
  },
  { tool: 'pick', args: { items: [{ a: 1, b: 2 }], keys: ['a'], omit: true }, result: { items: [{ b: 2 }] } },
  { tool: 'pick', args: { items: [{ a: 1 }], keys: ['__proto__', 'toString'] }, result: { items: [{}] } },
  {
    tool: 'pick',
    args: { items: [1], keys: [] },
    error: 'Cannot pick: expected items[0] to be an object, got 1',
  },
  {
    tool: 'pick',
    args: { items: [], keys: 'a' },
    error: 'Cannot pick: expected keys to be an array, got string',
  },
]

export default cases
