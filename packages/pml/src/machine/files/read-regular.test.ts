import { execFileSync } from 'node:child_process'
import { constants, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readRegular } from './read-plain-file.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pml-regular-')))
})
afterEach(() => rmSync(folder, { recursive: true }))

const at = (name: string) => join(folder, name)
const textOf = (path: string, limitBytes = 100) => readRegular(path, limitBytes).bytes.toString('utf8')

describe('a file that comes with a repository', () => {
  it('is read whole, up to the limit and not a byte further', () => {
    writeFileSync(at('a'), 'x'.repeat(100))
    expect(textOf(at('a'))).toBe('x'.repeat(100))
    writeFileSync(at('a'), 'x'.repeat(101))
    expect(() => textOf(at('a'))).toThrow('it has 101 bytes, expected at most 100')
    writeFileSync(at('a'), '')
    expect(textOf(at('a'))).toBe('')
  })

  it('may be a link, unless links are refused', () => {
    writeFileSync(at('a'), 'text')
    symlinkSync(at('a'), at('link'))
    expect(textOf(at('link'))).toBe('text')
    expect(() => readRegular(at('link'), 100, constants.O_NOFOLLOW)).toThrow(/ELOOP/)
  })

  it.each([
    ['a pipe that nobody writes to', (path: string) => execFileSync('mkfifo', [path]), 'a device or a pipe'],
    ['a device without end', (path: string) => symlinkSync('/dev/zero', path), 'a device or a pipe'],
    ['a folder', (path: string) => mkdirSync(path), 'it is a folder'],
    ['a link to itself', (path: string) => symlinkSync(path, path), 'ELOOP'],
    ['a link to nowhere', (path: string) => symlinkSync(`${path}-gone`, path), 'ENOENT'],
    ['text that the system makes up', (path: string) => symlinkSync('/proc/self/status', path), 'virtual'],
    ['memory that the system shows', (path: string) => symlinkSync('/proc/self/pagemap', path), 'virtual'],
  ])('is refused at once where it is %s', (_what, make, why) => {
    make(at('a'))
    expect(() => textOf(at('a'))).toThrow(why)
  })

  it('is refused where it is a socket', async () => {
    const server = createServer()
    await new Promise<void>((done) => server.listen(at('a'), done))
    expect(() => textOf(at('a'))).toThrow(/ENXIO/)
    await new Promise((done) => server.close(done))
  })

  it('has no more bytes than could be read, where it says that it has more', () => {
    // sysfs says one page for every file.
    expect(textOf('/sys/class/net/lo/mtu', 10_000)).toMatch(/^\d+\n$/)
  })
})
