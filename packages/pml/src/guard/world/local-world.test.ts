import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { localWorld } from './local-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'pml-world-'))
let count = 0

function read(bytes: string | Uint8Array) {
  const path = join(folder, `file-${++count}`)
  writeFileSync(path, bytes)
  return localWorld(folder).readFile(path)
}

describe('a file as the hook reads it', () => {
  it.each([
    ['a byte order mark', '\u{feff}a\n'],
    ['every line end', 'a\r\nb\rc\nd\r\r\n\u2028\u0085'],
    ['no final newline', 'a'],
    ['nothing', ''],
    ['a replacement character of its own', 'a\u{fffd}b'],
  ])('keeps %s', (_, text) => {
    expect(read(text)).toEqual({ kind: 'text', text })
  })

  it.each([
    ['Latin-1', [0x61, 0xe9, 0x0a]],
    ['UTF-16', [0xff, 0xfe, 0x61, 0x00]],
    ['a character cut short', [0x61, 0xc3]],
    ['an overlong character', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a NUL byte', [0x61, 0x00, 0x62]],
  ])('does not decode %s', (_, bytes) => {
    expect(read(Uint8Array.from(bytes))).toEqual({ kind: 'unknown', isThere: true })
  })

  it.each(['/proc/self/status', '/dev/zero'])('does not read what a link leads to at %s', (target) => {
    const path = join(folder, `file-${++count}`)
    symlinkSync(target, path)
    expect(localWorld(folder).readFile(path)).toEqual({ kind: 'unknown', isThere: true })
  })

  it('says that a folder is one', () => {
    expect(localWorld(folder).readFile(folder)).toEqual({ kind: 'folder' })
  })

  it('reports an unknown tool', () => {
    expect(localWorld(folder).readFile(join(folder, 'none'))).toEqual({ kind: 'missing' })
  })
})
