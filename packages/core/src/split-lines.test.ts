import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitLines } from './split-lines.ts'

function linesOf(chunks: readonly Buffer[], limitBytes: number): string[] {
  const lines: string[] = []
  const splitter = splitLines({
    limitBytes,
    onLine: (line) => lines.push(line.toString()),
    onLongLine: (head, tail) => lines.push(`${head.toString()} … ${tail.toString()}`),
  })
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return lines
}

test('lines are the same for any chunks of the stream', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 1, max: 7 }), (texts, size) => {
      const lines = texts.map((text) => text.replaceAll('\n', ''))
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )
      expect(linesOf(chunks, 1000)).toEqual(lines)
    }),
  )
})

test('keeps only both ends of a line over the limit, and the next line is whole', () => {
  const long = Buffer.from(`${'a'.repeat(3000)}${'b'.repeat(3000)}\nnext\nrest`)
  const chunks = Array.from({ length: Math.ceil(long.length / 100) }, (_, index) =>
    long.subarray(index * 100, (index + 1) * 100),
  )
  const ends = `${'a'.repeat(256)} … ${'b'.repeat(256)}`
  expect(linesOf(chunks, 1000)).toEqual([ends, 'next', 'rest'])
  expect(linesOf([long], 1000)).toEqual([ends, 'next', 'rest'])
})

test('keeps a line of exactly the limit', () => {
  expect(linesOf([Buffer.from('12345\n123456\n')], 5)).toEqual(['12345', '123456 … 123456'])
})
