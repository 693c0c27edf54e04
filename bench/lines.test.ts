import { expect, test } from 'vitest'
import { goals, parseLineNames, printLine } from './lines.ts'

test('all lines run unless some are named', () => {
  expect(parseLineNames([])).toEqual({ wanted: new Set(Object.keys(goals)) })
  expect(parseLineNames(['deep-page', 'read-200'])).toEqual({ wanted: new Set(['read-200', 'deep-page']) })
})

test('refuses an unknown line and lists the known ones', () => {
  expect(parseLineNames(['read-200', 'read-201', 'toString'])).toEqual({
    problem: expect.stringMatching(/^Cannot run read-201, toString: expected read-200, read-304, /),
  })
})

test('a line shows the figure, the goal and whether it was met', () => {
  expect(printLine('read-200', 0.934)).toEqual({ text: 'bench read-200 0.93 goal >=0.80 ok', ok: true })
  expect(printLine('deep-cursor', 2.31)).toEqual({
    text: 'bench deep-cursor 2.31 goal <=2.00 short',
    ok: false,
  })
})

test('a figure that meets its goal only by rounding is short', () => {
  expect(printLine('read-200', 0.7999).text).toBe('bench read-200 0.79 goal >=0.80 short')
  expect(printLine('memory-100k', 2.0001).text).toBe('bench memory-100k 2.01 goal <=2.00 short')
})

test('a figure equal to its goal is ok', () => {
  expect(printLine('read-200', 0.8).ok).toBe(true)
  expect(printLine('redirect-302', 0.75).ok).toBe(true)
  expect(printLine('memory-100k', 2).ok).toBe(true)
})
