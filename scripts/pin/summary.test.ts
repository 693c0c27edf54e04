import { expect, test } from 'vitest'
import type { PinDiff } from '@pml/core/pins'
import { printSummary } from './summary.ts'

const nothing: PinDiff = {
  server: 'files',
  package: '@s/files',
  before: '1.0.0',
  after: '1.1.0',
  packages: { added: [], removed: [], bumped: [], rehashed: [] },
  tools: { added: [], removed: [], changed: [] },
  toolsListed: true,
  installScripts: [],
}

test('shows what a reviewer must know, the most alarming first', () => {
  const diff: PinDiff = {
    ...nothing,
    packages: {
      added: [{ location: 'node_modules/@s/new', after: '2.0.0' }],
      removed: [{ location: 'node_modules/a/node_modules/old', before: '3.0.0' }],
      bumped: [{ location: 'node_modules/@s/files', before: '1.0.0', after: '1.1.0' }],
      rehashed: [{ location: 'node_modules/left', before: '1.0.0', after: '1.0.0' }],
    },
    tools: { added: ['write'], removed: ['drop'], changed: ['read'] },
    installScripts: ['node_modules/esbuild', 'node_modules/a/node_modules/esbuild'],
  }
  expect(printSummary([{ server: 'files', outcome: 'changed', diff }])).toBe(`files: @s/files 1.0.0 -> 1.1.0
  ! left 1.0.0 HAS OTHER BYTES UNDER THE SAME VERSION
  ~ @s/files 1.0.0 -> 1.1.0
  + @s/new 2.0.0
  - old 3.0.0
  + tool write
  - tool drop
  ~ tool read
  install scripts that do not run: esbuild
1 changed, 0 unchanged, 0 failed
`)
})

test('shows why a server was not pinned, and counts them', () => {
  const results = [
    { server: 'a', outcome: 'unchanged', version: '1.0.0' },
    { server: 'b', outcome: 'failed', reason: 'there is no such package' },
    {
      server: 'c',
      outcome: 'changed',
      diff: { ...nothing, server: 'c', before: undefined, toolsListed: false },
    },
  ] as const
  expect(printSummary(results)).toBe(`a: unchanged at 1.0.0
b: FAILED, there is no such package
c: new pin, @s/files 1.1.0
  0 packages
  tools not listed; run again without --no-start
1 changed, 1 unchanged, 1 failed
`)
})
