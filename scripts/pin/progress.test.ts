import { expect, test } from 'vitest'
import { showProgress } from './progress.ts'

test('without a terminal each step is a plain line', () => {
  const { progress, written } = show(false)
  progress.step('a', 'resolving')
  progress.step('b', 'resolving')
  progress.done({ server: 'a', outcome: 'failed', reason: 'why' })
  expect(written.join('')).toBe('a: resolving\nb: resolving\na: failed\n')
})

test('on a terminal the lines of running servers are redrawn, and results stay', () => {
  const { progress, written } = show(true)
  progress.step('a', 'resolving')
  progress.step('b', 'resolving')
  progress.step('a', 'installing')
  progress.done({ server: 'a', outcome: 'unchanged', version: '1.0.0' })
  progress.done({ server: 'b', outcome: 'unchanged', version: '1.0.0' })
  expect(screenOf(written)).toEqual(['a: unchanged', 'b: unchanged', ''])
  expect(screenOf(written.slice(0, 3))).toEqual(['a: installing', 'b: resolving', ''])
})

function show(isTTY: boolean) {
  const written: string[] = []
  return { written, progress: showProgress({ isTTY, write: (text) => written.push(text) }) }
}

/** The screen of a terminal that knows "up", "start of line" and "erase below". */
function screenOf(written: readonly string[]): string[] {
  let lines = ['']
  for (const text of written) {
    const [, up = '0', rest = ''] =
      /^(?:ESC\[(\d+)A)?\rESC\[J(.*)$/s.exec(text.replaceAll('\u{1b}', 'ESC')) ?? []
    lines = lines.slice(0, lines.length - 1 - Number(up))
    lines.push(...rest.split('\n'))
  }
  return lines
}
