import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { projectOf } from './project-of.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pml-project-')))
})
afterEach(() => rmSync(folder, { recursive: true }))

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, stdio: 'pipe' })
const state = () => join(folder, 'state')
const name = (...parts: string[]) => projectOf(join(folder, ...parts), state())

function repository(path: string, remote?: string): string {
  mkdirSync(join(folder, path), { recursive: true })
  git(join(folder, path), 'init', '--quiet')
  if (remote !== undefined) git(join(folder, path), 'remote', 'add', 'origin', remote)
  return path
}

describe('the name of a project', () => {
  it.each([
    'git@github.com:acme/shop.git',
    'https://github.com/acme/shop',
    'https://someone:s3cr3t@GitHub.com/acme/shop.git/',
    'ssh://git@github.com:22/acme/shop.git',
    'git://github.com/acme/shop.git',
  ])('is its folder and its remote, whichever way it is reached: %s', (remote) => {
    expect(name(repository('shop', remote))).toBe('shop github.com/acme/shop')
  })

  it('is the same in another clone, and another one in another repository', () => {
    const [one, two] = [
      repository('a/shop', 'git@example.com:x/shop.git'),
      repository('b/shop', 'https://example.com/x/shop'),
    ]
    expect(name(two)).toBe(name(one))
    expect(name(repository('c/shop', 'https://example.com/y/shop'))).not.toBe(name(one))
  })

  it('has the folder from the root of the repository, so that two of the same name in it differ', () => {
    repository('shop', 'git@example.com:x/shop.git')
    for (const part of ['apps', 'packages']) mkdirSync(join(folder, 'shop', part, 'web'), { recursive: true })
    expect(name('shop', 'apps', 'web')).toBe('shop/apps/web example.com/x/shop')
    expect(name('shop', 'packages', 'web')).toBe('shop/packages/web example.com/x/shop')
  })

  it('is told by an id of this user where there is no remote, and stays the same', () => {
    const [one, two] = [repository('a/shop'), repository('b/shop')]
    mkdirSync(join(folder, 'plain'))
    expect(name(one)).toMatch(/^shop #[0-9a-f]{32}$/)
    expect([name(one), name(two), name('plain')]).toEqual([name(one), name(two), name('plain')])
    expect(new Set([name(one), name(two), name('plain')]).size).toBe(3)
    const [file = ''] = readdirSync(join(state(), 'projects'))
    expect(readdirSync(join(state(), 'projects'))).toHaveLength(3)
    expect(statSync(join(state(), 'projects', file)).mode & 0o777).toBe(0o600)
    symlinkSync(join(folder, one), join(folder, 'link'))
    expect(name('link')).toBe(name(one))
    expect(projectOf(join(folder, one), join(folder, 'other state'))).not.toBe(name(one))
  })

  it('is told by an id where the remote is a folder of this machine', () => {
    expect(name(repository('shop', '/srv/git/shop.git'))).toMatch(/^shop #[0-9a-f]{32}$/)
    expect(name(repository('other', '../x.git'))).toMatch(/^other #/)
    expect(name(repository('drive', 'c:/git/shop.git'))).toMatch(/^drive #/)
  })

  it('tells projects apart where nothing can be kept', () => {
    writeFileSync(state(), '')
    const [one, two] = [name(repository('a/shop')), name(repository('b/shop'))]
    expect(one).toMatch(/^shop #[0-9a-f]{32}$/)
    expect(name('a', 'shop')).toBe(one)
    expect(two).not.toBe(one)
  })

  it('finds the remote from a worktree', () => {
    repository('shop', 'git@example.com:x/shop.git')
    git(join(folder, 'shop'), 'commit', '--quiet', '--allow-empty', '-m', 'a')
    git(join(folder, 'shop'), 'worktree', 'add', '--quiet', join(folder, 'tree'))
    expect(name('tree')).toBe('tree example.com/x/shop')
  })

  it.each([
    ['leads to a device without end', (file: string) => symlinkSync('/dev/zero', file)],
    ['is a pipe', (file: string) => execFileSync('mkfifo', [file])],
    ['is a folder', (file: string) => mkdirSync(file)],
    ['is nonsense', (file: string) => writeFileSync(file, '[remote "origin"]\nurl = x\n[remote "')],
  ])('is found at once where the configuration of git %s', (_what, make) => {
    mkdirSync(join(folder, 'shop', '.git'), { recursive: true })
    make(join(folder, 'shop', '.git', 'config'))
    expect(name('shop')).toMatch(/^shop #[0-9a-f]{32}$/)
  })

  it('tells folders of one repository apart whose long paths end the same', () => {
    repository('shop', 'git@example.com:x/shop.git')
    const end = ['a'.repeat(40), 'b'.repeat(40)]
    for (const part of ['one', 'two']) mkdirSync(join(folder, 'shop', part, ...end), { recursive: true })
    expect(name('shop', 'one', ...end)).not.toBe(name('shop', 'two', ...end))
    expect(name('shop', 'one', ...end)).toBe(name('shop', 'one', ...end))
  })

  it('has no half of a character where a long path is cut', () => {
    const part = '\u{1f600}'.repeat(60)
    expect(name(repository(`${part}x`)).isWellFormed()).toBe(true)
    expect(name(repository(part)).isWellFormed()).toBe(true)
  })

  it('fits where it is kept, however long everything is', () => {
    const long = 'ä'.repeat(100)
    expect(Buffer.byteLength(name(repository(long, `https://example.com/${'b'.repeat(5000)}`)))).toBeLessThan(
      400,
    )
  })
})
