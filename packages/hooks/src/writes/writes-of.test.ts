import { describe, expect, it } from 'vitest'
import type { HookEvent, ToolCall } from '../event.ts'
import type { World } from '../world.ts'
import type { Write } from './write.ts'
import { writesOf } from './writes-of.ts'

const files = new Map<string, string>()
const links = new Map<string, string>()
const world: World = {
  home: '/home/me',
  readFile: (path) => {
    const text = files.get(path)
    return text === undefined ? { kind: 'missing' } : { kind: 'text', text }
  },
  realPath: (path) => links.get(path) ?? path,
  expand: () => [],
}

function writes(call: ToolCall, over: World = world): Write[] {
  return writesOf({ call, cwd: '/w' } as Pick<HookEvent, 'call' | 'cwd'>, over, undefined)
}

const edit = (path: string, ...edits: (readonly [string, string])[]): ToolCall => ({
  kind: 'edit',
  tool: 'Edit',
  path,
  edits: edits.map(([before, after]) => ({ before, after, all: false })),
})

describe('what a call writes', () => {
  it('has the whole path, and where its links lead', () => {
    links.set('/w/a', '/etc/real')
    expect(writes({ kind: 'write', tool: 'Write', path: 'x/../a', content: '' })[0]?.paths).toEqual([
      '/w/a',
      '/etc/real',
    ])
    expect(writes({ kind: 'write', tool: 'Write', path: '~/b', content: '' })[0]?.paths).toEqual([
      '/home/me/b',
    ])
    expect(writes({ kind: 'write', tool: 'Write', path: 'file:///x/%61.js', content: '' })[0]?.paths).toEqual(
      ['/x/a.js'],
    )
  })

  it.each([[''], ['a\0b']])('refuses a path that is none: %j', (path) => {
    expect(() => writes({ kind: 'write', tool: 'Write', path, content: '' })).toThrow(
      'expected the path of a file',
    )
  })

  it('is the file after the edits, one after the other, and $& is no pattern', () => {
    files.set('/w/e', 'one two two')
    const [write] = writes(edit('e', ['one', '$&'], ['two', '3']))
    expect(write).toMatchObject({
      before: { text: 'one two two' },
      after: { text: '$& 3 two' },
      isPart: false,
    })
  })

  it('keeps CRLF where the agent sends LF', () => {
    files.set('/w/crlf', 'a\r\nb\r\n')
    expect(writes(edit('crlf', ['a\nb', 'a\nc']))[0]?.after).toEqual({ kind: 'text', text: 'a\r\nc\r\n' })
  })

  it('is what goes out and what comes in, where the edits do not fit or nobody can look', () => {
    files.set('/w/f', 'other')
    const expected = { before: { kind: 'text', text: 'x' }, after: { kind: 'text', text: 'y' }, isPart: true }
    expect(writes(edit('f', ['x', 'y']))[0]).toMatchObject(expected)
    expect(
      writes(edit('g', ['x', 'y']), { ...world, readFile: () => ({ kind: 'unknown' }) })[0],
    ).toMatchObject(expected)
  })

  it('makes a file of an edit that looks for nothing', () => {
    expect(writes(edit('new', ['', 'all']))[0]).toMatchObject({
      before: { kind: 'missing' },
      after: { text: 'all' },
    })
  })

  it('is the cell of a notebook', () => {
    files.set('/w/n.ipynb', JSON.stringify({ cells: [{ id: 'c1', source: ['a\n', 'b'] }] }))
    const call = {
      kind: 'notebook',
      tool: 'NotebookEdit',
      path: 'n.ipynb',
      cell: 'c1',
      source: 'new',
      mode: 'replace',
    } as const
    expect(writes(call)[0]).toMatchObject({ before: { text: 'a\nb' }, after: { text: 'new' }, isPart: true })
    expect(writes({ ...call, mode: 'delete' })[0]).toMatchObject({
      before: { text: 'a\nb' },
      after: { text: '' },
    })
  })

  it('finds writes in the arguments of tools that nobody knows', () => {
    const mcp = (args: Record<string, unknown>) =>
      writes({ kind: 'mcp', tool: 'mcp__fs__x', server: 'fs', name: 'x', args, launch: undefined }).map(
        ({ paths, after }) => [paths[0], 'text' in after ? after.text : after.kind],
      )
    files.set('/w/here', 'old')
    expect(mcp({ file_path: 'ok.md', path: 'a.js', content: 'x' })).toEqual([
      ['/w/ok.md', 'x'],
      ['/w/a.js', 'x'],
    ])
    expect(mcp({ path: 'a.js', content: 'x' })).toEqual([['/w/a.js', 'x']])
    expect(mcp({ path: 'a.js', content: '' })).toEqual([['/w/a.js', '']])
    expect(mcp({ path: 'a.js', insert_line: 0, insert_text: 'x' })).toEqual([['/w/a.js', 'x']])
    expect(mcp({ TargetFile: 'a.js', CodeContent: 'x' })).toEqual([['/w/a.js', 'x']])
    expect(mcp({ path: '', uri: 'file:///w/b.js', data: 'x' })).toEqual([['/w/b.js', 'x']])
    expect(mcp({ path: 'here', edits: [{ oldText: 'old', newText: 'new' }] })).toEqual([['/w/here', 'new']])
    expect(mcp({ source: 'here', destination: 'there.js' })).toEqual([
      ['/w/there.js', 'old'],
      ['/w/here', 'moved'],
    ])
    expect(
      mcp({
        files: [
          { path: 'a', content: '1' },
          { path: 'b', content: '2' },
        ],
      }),
    ).toEqual([
      ['/w/a', '1'],
      ['/w/b', '2'],
    ])
    expect(mcp({ path: 'a.js' })).toEqual([])
    expect(mcp({ query: 'x' })).toEqual([])
  })
})

describe('what a patch writes', () => {
  const patch = (...lines: string[]) =>
    writes({
      kind: 'patch',
      tool: 'apply_patch',
      patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
    })

  it('is every file of it: added, changed, moved, deleted', () => {
    files.set('/w/old.ts', 'a\nb\nc\n')
    const found = patch(
      '*** Add File: new.sh',
      '+#!/bin/sh',
      '+echo',
      '*** Update File: old.ts',
      '*** Move to: moved.ts',
      '@@',
      ' a',
      '-b',
      '+B',
      '*** Delete File: gone.ts',
    )
    expect(found.map(({ paths, after }) => [paths[0], after])).toEqual([
      ['/w/new.sh', { kind: 'text', text: '#!/bin/sh\necho\n' }],
      ['/w/old.ts', { kind: 'moved', to: '/w/moved.ts' }],
      ['/w/moved.ts', { kind: 'text', text: 'a\nB\nc\n' }],
      ['/w/gone.ts', { kind: 'deleted' }],
    ])
  })

  it('finds its place with blanks aside, and says what it puts in where it finds none', () => {
    files.set('/w/p.ts', '  a  \n  b\n')
    expect(patch('*** Update File: p.ts', '@@', '-a', '+x')[0]?.after).toEqual({
      kind: 'text',
      text: 'x\n  b\n',
    })
    expect(patch('*** Update File: p.ts', '@@', '-zzz', '+x')[0]).toMatchObject({
      isPart: true,
      after: { text: 'x' },
    })
  })

  it.each([
    ['no begin', ['x']],
    ['a line of no kind', ['*** Update File: a', '@@', '?x']],
    ['a new file without +', ['*** Add File: a', 'x']],
    ['another header', ['*** Rename File: a']],
    ['no file', []],
  ])('is refused where it cannot be read: %s', (what, lines) => {
    const text = what === 'no begin' ? 'x' : ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
    expect(() => writes({ kind: 'patch', tool: 'apply_patch', patch: text })).toThrow('Cannot read the patch')
  })
})
