import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { HookEvent, ToolCall } from './event.ts'
import type { World } from './world.ts'
import type { Write } from './writes/write.ts'
import { writesOf } from './writes-of.ts'

const files = new Map<string, string>()
const links = new Map<string, string>()
const world: World = {
  home: '/home/me',
  readFile: (path) => {
    const text = files.get(path)
    return text === undefined ? { kind: 'missing' } : { kind: 'text', text }
  },
  realPath: (path) => links.get(posix.normalize(path)) ?? path,
  otherNames: () => [],
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
  it('has the absolute path and the target of its links', () => {
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

  it.each([[''], ['a\0b']])('refuses the invalid path %j', (path) => {
    expect(() => writes({ kind: 'write', tool: 'Write', path, content: '' })).toThrow(
      'expected the path of a file',
    )
  })

  it('is the file after all edits in order, and $& has no special meaning', () => {
    files.set('/w/e', 'one two')
    const [write] = writes(edit('e', ['one', '$&'], ['two', '3']))
    expect(write).toMatchObject({
      before: { text: 'one two' },
      after: { text: '$& 3' },
      isExact: true,
    })
  })

  it('keeps CRLF if the agent sends LF', () => {
    files.set('/w/crlf', 'a\r\nb\r\n')
    expect(writes(edit('crlf', ['a\nb', 'a\nc']))[0]?.after).toEqual({ kind: 'text', text: 'a\r\nc\r\n' })
  })

  it('is the removed and added text if the edits do not fit or the file cannot be read', () => {
    files.set('/w/f', 'other')
    const expected = {
      before: { kind: 'text', text: 'x' },
      after: { kind: 'text', text: 'y' },
      isExact: false,
    }
    expect(writes(edit('f', ['x', 'y']))[0]).toMatchObject(expected)
    expect(
      writes(edit('g', ['x', 'y']), { ...world, readFile: () => ({ kind: 'unknown' }) })[0],
    ).toMatchObject(expected)
  })

  it('creates a file for an edit without old text', () => {
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
    expect(writes(call)[0]).toMatchObject({
      before: { text: 'a\nb' },
      after: { text: 'new' },
      isExact: false,
    })
    expect(writes({ ...call, mode: 'delete' })[0]).toMatchObject({
      before: { text: 'a\nb' },
      after: { text: '' },
    })
  })

  it('is found in the arguments of unknown tools', () => {
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

describe('a tool of Claude Code', () => {
  const CRLF_AT = 4096
  const edited = (text: string) => {
    files.set('/w/c', text)
    const [write] = writes({
      kind: 'edit',
      tool: 'Edit',
      path: 'c',
      edits: [{ before: 'b', after: 'B\nB2', all: false }],
      writer: 'claude',
    })
    return write?.isExact && write.after.kind === 'text' ? write.after.text : undefined
  }

  it.each([
    ['within', 'x'.repeat(CRLF_AT - 2), '\r\nB\r\nB2\r\nc\r\n'],
    ['cut by the end of', 'x'.repeat(CRLF_AT - 1), '\nB\nB2\nc\n'],
    ['after a mark, cut by the end of', `\u{feff}${'x'.repeat(CRLF_AT - 2)}`, '\nB\nB2\nc\n'],
    ['in characters, not bytes, within', 'é'.repeat(CRLF_AT - 2), '\r\nB\r\nB2\r\nc\r\n'],
  ])('uses the line ends %s the first 4096 characters', (_, head, rest) => {
    expect(edited(`${head}\r\nb\nc\n`)).toBe(head + rest)
  })
})

describe('an unobserved tool', () => {
  const after = (call: ToolCall, before?: string) => {
    if (before === undefined) files.delete('/w/u')
    else files.set('/w/u', before)
    const [write] = writes(call)
    return write?.isExact && write.after.kind === 'text' ? write.after.text : undefined
  }
  const write = (content: string): ToolCall => ({ kind: 'write', tool: 'Save', path: 'u', content })

  it('writes its input if every observed agent would', () => {
    expect(after(write('x\r\n'))).toBe('x\r\n')
    expect(after(write('x\n'), 'a\n')).toBe('x\n')
    expect(after(edit('u', ['b', 'B']), 'a\r\nb\r\n')).toBe('a\r\nB\r\n')
    expect(after(edit('u', ['a\nb', 'A\nB']), 'a\nb\n')).toBe('A\nB\n')
  })

  it('has an unknown result if agents differ', () => {
    expect(after(write('x\n'), '\u{feff}a\n')).toBeUndefined()
    expect(after(write('x\n'), 'a\r\n')).toBeUndefined()
    expect(after(edit('u', ['a\nb', 'A\nB']), 'a\r\nb\r\n')).toBeUndefined()
    expect(after(edit('u', ['b', '']), 'a\nb\nc\n')).toBeUndefined()
    expect(after(edit('u', ['b', 'b\n']), 'a\nb')).toBeUndefined()
    expect(after(edit('u', ['b', 'B']), 'b\nb\n')).toBeUndefined()
  })

  it('has an unknown result for a file that is not text', () => {
    const binary: World = { ...world, readFile: () => ({ kind: 'unknown', isThere: true }) }
    expect(writes(write('x'), binary)[0]).toMatchObject({ after: { text: 'x' }, isExact: false })
    // Without access to the machine nothing can be read; then the sent text counts.
    const far: World = { ...world, readFile: () => ({ kind: 'unknown' }) }
    expect(writes(write('x'), far)[0]).toMatchObject({ after: { text: 'x' }, isExact: true })
  })
})

it('writes new files with CRLF for Gemini CLI on Windows', () => {
  const call = {
    kind: 'write',
    tool: 'write_file',
    path: 'w',
    content: 'a\nb\r\n',
    writer: 'gemini',
  } as const
  const [write] = writesOf({ call, cwd: 'C:\\w' }, world, undefined)
  expect(write).toMatchObject({ after: { text: 'a\r\nb\r\n' }, isExact: true })
})

describe('what a patch writes', () => {
  const patch = (...lines: string[]) =>
    writes({
      kind: 'patch',
      tool: 'apply_patch',
      patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
    })

  it('contains every file: added, changed, moved, deleted', () => {
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

  it('finds its position ignoring blanks, and is the new text if it finds none', () => {
    files.set('/w/p.ts', '  a  \n  b\n')
    expect(patch('*** Update File: p.ts', '@@', '-a', '+x')[0]?.after).toEqual({
      kind: 'text',
      text: 'x\n  b\n',
    })
    expect(patch('*** Update File: p.ts', '@@', '-zzz', '+x')[0]).toMatchObject({
      isExact: false,
      after: { text: 'x' },
    })
  })

  it('changes a file that it names twice in sequence', () => {
    files.set('/w/again.ts', 'a\nb\n')
    const found = patch(
      '*** Update File: again.ts',
      '@@',
      '-a',
      '+A',
      '*** Update File: ./again.ts',
      '@@',
      '-A',
      '+AA',
      '*** Delete File: again.ts',
      '*** Add File: again.ts',
      '+x',
      '*** Update File: again.ts',
      '@@',
      '+y',
    )
    expect(found.map(({ after }) => ('text' in after ? after.text : after.kind))).toEqual([
      'A\nb\n',
      'AA\nb\n',
      'deleted',
      'x\n',
      'x\ny\n',
    ])
  })

  it.each([
    ['no begin', ['x']],
    ['a line of no kind', ['*** Update File: a', '@@', '?x']],
    ['a new file without +', ['*** Add File: a', 'x']],
    ['another header', ['*** Rename File: a']],
    ['no file', []],
  ])('is refused if it is invalid: %s', (what, lines) => {
    const text = what === 'no begin' ? 'x' : ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
    expect(() => writes({ kind: 'patch', tool: 'apply_patch', patch: text })).toThrow('Cannot read the patch')
  })
})
