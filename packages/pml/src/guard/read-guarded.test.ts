import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaults } from '../../test/hook-place.ts'
import { readGuarded, UnreadablePolicy } from './read-guarded.ts'

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pml-guarded-')))
})
afterEach(() => rmSync(home, { recursive: true }))

function openedAt(file: string): string {
  writeFileSync(file, '')
  return file
}

function write(path: string, content = ''): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), content)
}

const policyWith = (id: string) =>
  JSON.stringify({ version: 1, rules: [{ id, effect: 'block', reason: 'r', suggestion: 's' }] })
const guardedIn = (...folders: string[]) =>
  readGuarded({
    defaults,
    installation: [],
    kept: [],
    folders: folders.map((folder) => join(home, folder)),
  }).map(({ root, policy }) => [root.slice(home.length + 1), policy.rules.at(-1)?.id])

describe('the workspace of a folder', () => {
  it.each(['.pml/enforcement.json', '.pml.json', '.pml/mcp.lock'])(
    'is the nearest one that has %s, though a repository is nearer',
    (mark) => {
      write(`a/${mark}`, mark.endsWith('enforcement.json') ? policyWith('MINE') : '')
      write('a/b/.git/HEAD')
      expect(guardedIn('a/b/c').map(([root]) => root)).toEqual(['a'])
    },
  )

  it('is the repository where pml has put nothing, and else the folder itself', () => {
    write('a/.git/HEAD')
    expect(guardedIn('a/b/c', 'x/y').map(([root]) => root)).toEqual(['a', 'x/y'])
  })

  it('is each of those that the call may belong to, once, with its own policy', () => {
    write('a/.pml/enforcement.json', policyWith('OF_A'))
    write('b/.pml/enforcement.json', policyWith('OF_B'))
    expect(guardedIn('a/x', 'b', 'a')).toEqual([
      ['a', 'OF_A'],
      ['b', 'OF_B'],
    ])
  })

  it('is refused with a policy that cannot be read, be it one of several', () => {
    write('a/.pml/enforcement.json', policyWith('OF_A'))
    write('b/.pml/enforcement.json', '{')
    expect(() => guardedIn('a', 'b')).toThrow(UnreadablePolicy)
    rmSync(join(home, 'b', '.pml', 'enforcement.json'))
    mkdirSync(join(home, 'b', '.pml', 'enforcement.json'))
    expect(() => guardedIn('a', 'b')).toThrow(/enforcement\.json/)
  })

  it.each([
    ['a device without end', (file: string) => symlinkSync('/dev/zero', file), 'a device or a pipe'],
    ['a pipe that nobody writes to', (file: string) => execFileSync('mkfifo', [file]), 'a device or a pipe'],
    ['far too much', (file: string) => truncateSync(openedAt(file), 2 ** 31), 'it has 2147483648 bytes'],
  ])('is refused at once where its policy is %s', (_what, make, why) => {
    write('a/.pml/mcp.lock')
    make(join(home, 'a', '.pml', 'enforcement.json'))
    expect(() => guardedIn('a')).toThrow(new RegExp(`Cannot read .*enforcement\\.json: .*${why}`))
  })
})
