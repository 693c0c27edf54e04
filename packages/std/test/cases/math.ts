import { expect } from 'vitest'
import type { Case } from '../case.ts'

const cases: Case[] = [
  {
    tool: 'statistics',
    args: { numbers: [2, 4, 4, 4, 5, 5, 7, 9] },
    result: {
      count: 8,
      sum: 40,
      mean: 5,
      median: 4.5,
      min: 2,
      max: 9,
      variance: 4,
      standardDeviation: 2,
      sampleStandardDeviation: Math.sqrt(32 / 7),
    },
  },
  {
    tool: 'statistics',
    args: { numbers: Array.from({ length: 10 }, () => 0.1) },
    result: expect.objectContaining({ sum: 1, mean: 0.1 }),
  },
  {
    tool: 'statistics',
    args: { numbers: [10, -9, 1] },
    result: expect.objectContaining({ median: 1, min: -9, max: 10 }),
  },
  {
    tool: 'statistics',
    args: { numbers: [3] },
    result: expect.objectContaining({ median: 3, variance: 0, sampleStandardDeviation: null }),
  },
  {
    tool: 'statistics',
    args: { numbers: Array.from({ length: 300_000 }, (_, index) => index) },
    result: expect.objectContaining({ max: 299_999 }),
  },
  {
    tool: 'statistics',
    args: { numbers: [] },
    error: 'expected numbers to be an array of at least one number',
  },
  {
    tool: 'statistics',
    args: { numbers: [1, '2'] },
    error: 'Cannot describe numbers: expected numbers[1] to be a number, got "2"',
  },
  { tool: 'statistics', args: { numbers: [1e308, -1e308] }, error: 'their spread is too large' },

  {
    tool: 'percentile',
    args: { numbers: [4, 1, 3, 2], percentiles: [0, 50, 90, 100] },
    result: {
      percentiles: [
        { percentile: 0, value: 1 },
        { percentile: 50, value: 2.5 },
        { percentile: 90, value: expect.closeTo(3.7, 10) },
        { percentile: 100, value: 4 },
      ],
    },
  },
  {
    tool: 'percentile',
    args: { numbers: [7] },
    result: { percentiles: [50, 90, 95, 99].map((percentile) => ({ percentile, value: 7 })) },
  },
  {
    tool: 'percentile',
    args: { numbers: [] },
    error: 'expected numbers to hold at least one number, got none',
  },
  {
    tool: 'percentile',
    args: { numbers: [1], percentiles: [101] },
    error: 'expected percentiles to be from 0 to 100, got 101',
  },
  { tool: 'percentile', args: { numbers: [null] }, error: 'expected numbers[0] to be a number, got null' },

  { tool: 'round', args: { number: 1.005, places: 2 }, result: { number: 1.01, text: '1.01' } },
  { tool: 'round', args: { number: -2.5 }, result: { number: -3, text: '-3' } },
  { tool: 'round', args: { number: 2.5, mode: 'half_even' }, result: { number: 2, text: '2' } },
  { tool: 'round', args: { number: 3.5, mode: 'half_even' }, result: { number: 4, text: '4' } },
  {
    tool: 'round',
    args: { number: -1.21, places: 1, mode: 'floor' },
    result: { number: -1.3, text: '-1.3' },
  },
  { tool: 'round', args: { number: 1.21, places: 1, mode: 'ceil' }, result: { number: 1.3, text: '1.3' } },
  { tool: 'round', args: { number: -0.4 }, result: { number: 0, text: '0' } },
  {
    tool: 'round',
    args: { number: 1e21, places: 2 },
    result: { number: 1e21, text: '1000000000000000000000.00' },
  },
  { tool: 'round', args: { number: 1.5e-7, places: 7 }, result: { number: 2e-7, text: '0.0000002' } },
  {
    tool: 'round',
    args: { number: 5e-324, places: 20, mode: 'trunc' },
    result: { number: 0, text: '0.00000000000000000000' },
  },
  { tool: 'round', args: { number: null }, error: 'Cannot round: expected number to be a number, got null' },
  {
    tool: 'round',
    args: { number: 1, places: 21 },
    error: 'expected places to be an integer from 0 to 20, got 21',
  },
  {
    tool: 'round',
    args: { number: 1, mode: 'up' },
    error: 'expected mode to be one of half_up, half_even, floor, ceil, trunc, got "up"',
  },

  { tool: 'gcd', args: { integers: [12, -18, 30] }, result: { gcd: 6, lcm: '180' } },
  { tool: 'gcd', args: { integers: [0, 5] }, result: { gcd: 5, lcm: '0' } },
  {
    tool: 'gcd',
    args: { integers: [9007199254740991, 9007199254740990] },
    result: { gcd: 1, lcm: '81129638414606654674191240921090' },
  },
  {
    tool: 'gcd',
    args: { integers: [1.5] },
    error: 'expected integers to be whole numbers below 2^53, got 1.5',
  },
  {
    tool: 'gcd',
    args: { integers: [] },
    error: 'Cannot find gcd: expected integers to be an array of 1 to 1000 integers',
  },

  { tool: 'convert_base', args: { digits: 'FF', from: 16 }, result: { digits: '255' } },
  { tool: 'convert_base', args: { digits: '-255', to: 2 }, result: { digits: '-11111111' } },
  {
    tool: 'convert_base',
    args: { digits: '123456789012345678901234567890', to: 36 },
    result: { digits: 'byw97um9s91dlz68tsi' },
  },
  {
    tool: 'convert_base',
    args: { digits: '12', from: 2 },
    error: "Cannot convert base: expected digits of base 2, got '2'",
  },
  { tool: 'convert_base', args: { digits: '1.5' }, error: "expected digits of base 10, got '.'" },
  { tool: 'convert_base', args: { digits: '-' }, error: "expected digits to hold a number, got '-'" },
  {
    tool: 'convert_base',
    args: { digits: '1', to: 37 },
    error: 'expected to to be an integer from 2 to 36, got 37',
  },
  { tool: 'convert_base', args: { digits: '1'.repeat(10_001) }, error: 'length of at most 10000, got 10001' },

  {
    tool: 'evaluate',
    args: { expression: '2 + 3 * 4 ^ 2 / (1 - 5) % 7' },
    result: { value: 2 + (((3 * 4 ** 2) / (1 - 5)) % 7) },
  },
  { tool: 'evaluate', args: { expression: '-2 ^ 2' }, result: { value: -4 } },
  { tool: 'evaluate', args: { expression: '2 ^ 3 ^ 2' }, result: { value: 512 } },
  { tool: 'evaluate', args: { expression: '2 ^ -1' }, result: { value: 0.5 } },
  {
    tool: 'evaluate',
    args: { expression: 'max(x, sqrt(y), 3) - -1', variables: { x: 2, y: 25 } },
    result: { value: 6 },
  },
  { tool: 'evaluate', args: { expression: 'round(100 * pi) / 1e2 + .5' }, result: { value: 3.64 } },
  { tool: 'evaluate', args: { expression: '('.repeat(900) + '1' + ')'.repeat(900) }, result: { value: 1 } },
  {
    tool: 'evaluate',
    args: { expression: '1 / 0' },
    error: 'Cannot evaluate: expected a finite result, got Infinity',
  },
  {
    tool: 'evaluate',
    args: { expression: 'constructor' },
    error: "expected a number, a known name or (, got 'constructor'",
  },
  {
    tool: 'evaluate',
    args: { expression: '__proto__(1)' },
    error: 'expected one of the functions abs, ceil',
  },
  {
    tool: 'evaluate',
    args: { expression: '1 +' },
    error: 'expected a number, a known name or (, got the end',
  },
  { tool: 'evaluate', args: { expression: '(1' }, error: 'expected ), got the end' },
  { tool: 'evaluate', args: { expression: '1 2' }, error: "expected the end or an operator, got '2'" },
  {
    tool: 'evaluate',
    args: { expression: '1 ; 2' },
    error: "expected a number, name or operator, got '; 2'",
  },
  { tool: 'evaluate', args: { expression: '' }, error: 'got the end' },
  {
    tool: 'evaluate',
    args: { expression: 'x', variables: { x: '1' } },
    error: 'expected variables to have a number for x, got "1"',
  },
  { tool: 'evaluate', args: { expression: '1'.repeat(2001) }, error: 'length of at most 2000, got 2001' },

  {
    tool: 'factorize',
    args: { integer: 360 },
    result: {
      factors: [
        { prime: 2, power: 3 },
        { prime: 3, power: 2 },
        { prime: 5, power: 1 },
      ],
      isPrime: false,
    },
  },
  {
    tool: 'factorize',
    args: { integer: 999999999989 },
    result: { factors: [{ prime: 999999999989, power: 1 }], isPrime: true },
  },
  { tool: 'factorize', args: { integer: 1 }, result: { factors: [], isPrime: false } },
  {
    tool: 'factorize',
    args: { integer: 0 },
    error: 'Cannot factorize: expected integer to be from 1 to 1000000000000, got 0',
  },

  {
    tool: 'linear_regression',
    args: { x: [1, 2, 3], y: [3, 5, 7] },
    result: { slope: 2, intercept: 1, rSquared: 1 },
  },
  {
    tool: 'linear_regression',
    args: { x: [0, 1], y: [4, 4] },
    result: { slope: 0, intercept: 4, rSquared: 1 },
  },
  {
    tool: 'linear_regression',
    args: { x: [1e9, 1e9 + 1, 1e9 + 2], y: [1, 2, 3] },
    result: expect.objectContaining({ slope: 1 }),
  },
  {
    tool: 'linear_regression',
    args: { x: [1, 1], y: [1, 2] },
    error: 'expected x to hold two different numbers, got one',
  },
  {
    tool: 'linear_regression',
    args: { x: [1, 2], y: [1, 2, 3] },
    error: 'Cannot fit line: expected y to have 2 numbers as x has, got 3',
  },
  {
    tool: 'linear_regression',
    args: { x: [1], y: [1] },
    error: 'expected x to be an array of at least 2 numbers',
  },
]

export default cases
