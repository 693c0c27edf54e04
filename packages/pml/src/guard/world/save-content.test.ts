import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { saveContent } from './save-content.ts'

let folder: string
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'pml-kept-')), 'blocked')
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true }))

const keep = (path: string, { now = 1, pid = 7 } = {}) =>
  saveContent({ path, content: path }, { folder, now, pid })

describe('what was not written', () => {
  it('is saved for its owner only, under a name with the file name', () => {
    const file = keep('/a/../b/what is it?.js') ?? ''
    expect(file).toMatch(/-what_is_it_\.js$/)
    expect(readFileSync(file, 'utf8')).toBe('/a/../b/what is it?.js')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('replaces nothing that was saved in the same millisecond', () => {
    expect(new Set([keep('a.js'), keep('a.js'), keep('a.js')]).size).toBe(3)
  })

  it('is kept until two hundred others are newer', () => {
    keep('first.js', { now: 0 })
    for (let index = 0; index < 210; index++)
      writeFileSync(join(folder, `${String(1000 + index).padStart(14, '0')}-7-0-a.js`), '')
    const last = keep('last.js', { now: 9999, pid: 20 }) ?? ''
    const names = readdirSync(folder).sort()
    expect(names).toHaveLength(201)
    expect(names.at(0)).toContain('00000000001010-')
    expect(last).toContain(names.at(-1))
  })
})
