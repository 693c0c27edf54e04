import { Buffer } from 'node:buffer'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../event.ts'
import { readCommand } from '../shell/index.ts'
import type { World } from '../world.ts'
import { findCommand } from './find-command.ts'
import { writesOf } from '../writes-of.ts'

const world: World = {
  home: '/home/u',
  readFile: () => ({ kind: 'missing' }),
  realPath: (path) => path,
  otherNames: () => [],
  expand: () => [],
}

/** The files that a server's tool call would change, with their new content. */
function writes(name: string, args: JsonObject): readonly (readonly [string | undefined, unknown])[] {
  const call = { kind: 'mcp', tool: `mcp__x__${name}`, server: 'x', name, args, launch: undefined } as const
  const command = findCommand(call)
  const shell = command === undefined ? undefined : readCommand(command, { cwd: '/w', home: '/home/u' })
  return writesOf({ call, cwd: '/w' }, world, shell).map(({ paths, after }) => [
    paths[0],
    after.kind === 'text' ? after.text : after.kind,
  ])
}

describe('arguments that look like a write', () => {
  it.each([
    ['save', { params: { path: 'a', content: 'x' } }, 'x'],
    ['save', { arguments: { input: { path: 'a', content: 'x' } } }, 'x'],
    ['save', { files: { a: 'x' } }, 'x'],
    ['save', { files: { a: { content: 'x' } } }, 'x'],
    ['save', { path: 'a', lines: ['x', 'y'] }, 'x\ny'],
    ['save', { path: 'a', base64: Buffer.from('x').toString('base64') }, 'x'],
    ['save', { path: 'a', encoding: 'base64', content: Buffer.from('x').toString('base64') }, 'x'],
    ['copy_file', { source: 'b', destination: 'a' }, 'unknown'],
    ['move_file', { source_path: 'b', destination_path: 'a' }, 'unknown'],
    ['patch', { path: 'a', diff: '@@ -1 +1 @@\n-x\n+y' }, 'unknown'],
    ['patch', { patch: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y' }, 'unknown'],
    ['patch', { patch: '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch' }, 'x\n'],
    ['run', { command: 'echo x > a' }, 'x\n'],
    ['run', { command: 'bash', args: ['-c', 'echo x > a'] }, 'x\n'],
    ['run', { command: ['bash', '-c', "echo 'x' > a"] }, 'x\n'],
    ['run', { commands: ['ls', 'echo x > a'] }, 'x\n'],
    ['run', { params: { cmd: 'echo x > a' } }, 'x\n'],
  ] as const)('%s %j', (name, args, text) => {
    expect(writes(name, args)).toContainEqual(['/w/a', text])
  })

  it('keeps the source of a copy', () => {
    expect(writes('copy_file', { source: 'b', destination: 'a' }).map(([path]) => path)).toEqual(['/w/a'])
  })
})

it.each([
  ['read_file', { path: 'a' }],
  ['search', { query: 'a', path: 'src' }],
  ['view', { command: 'view', path: 'a' }],
  ['list', { params: { path: 'a' } }],
  ['status', { files: { count: 3 } }],
])('%s %j is not a write', (name, args) => {
  expect(writes(name, args)).toEqual([])
})
