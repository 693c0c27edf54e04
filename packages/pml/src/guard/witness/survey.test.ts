import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isUntouched, racyMsAt, survey, type Survey } from './survey.ts'

const LATER_MS = 60_000

function makeFolder() {
  const root = mkdtempSync(join(tmpdir(), 'pml-survey-'))
  const file = join(root, 'deep', 'a.txt')
  mkdirSync(join(root, 'deep'))
  writeFileSync(file, 'one')
  const starts = [
    { path: root, depth: 5 },
    { path: join(root, '.git', 'inner'), depth: 0 },
  ]
  const look = (known?: Survey, now = Date.now() + LATER_MS) =>
    survey({ starts, known, now, isProtected: (path) => path.endsWith('.txt'), isLeftOut: () => false })
  return { root, file, starts, look }
}

describe('a survey', () => {
  it('suspects nothing where nothing happened', () => {
    const { look, starts } = makeFolder()
    const known = look()
    expect(look(known)).toMatchObject({ suspects: [], isSameListing: true })
    expect(isUntouched(known, starts)).toBe(true)
  })

  it.each<[string, (place: ReturnType<typeof makeFolder>) => void]>([
    ['is written', ({ file }) => writeFileSync(file, 'longer')],
    [
      'is written in the same length, with its time set back',
      ({ file }) => {
        const { atime, mtime } = statSync(file)
        writeFileSync(file, 'two')
        utimesSync(file, atime, mtime)
      },
    ],
    ['is gone', ({ file }) => rmSync(file)],
  ])('suspects a file that %s', (_, work) => {
    const place = makeFolder()
    // Whole milliseconds can be set back exactly.
    utimesSync(place.file, 1000, 1000)
    const known = place.look()
    work(place)
    expect(isUntouched(known, place.starts)).toBe(false)
    const { suspects, isSameListing } = place.look(known)
    expect(suspects.includes(place.file) || !isSameListing).toBe(true)
  })

  it('reads a file again that changed just before the survey: file times have a coarse clock', () => {
    const { look, file, starts } = makeFolder()
    const { ctimeMs } = statSync(file)
    const young = look(undefined, ctimeMs + 50)
    expect(look(young).suspects).toEqual([file])
    expect(isUntouched(young, starts)).toBe(false)
    expect(look(look(undefined, ctimeMs + 200)).suspects).toEqual([])
  })

  it('suspects a new file, and one in a folder that comes into being', () => {
    const { look, root, starts } = makeFolder()
    const known = look()
    mkdirSync(join(root, 'new'))
    writeFileSync(join(root, 'new', 'b.txt'), '')
    expect(look(known).suspects).toEqual([join(root, 'new', 'b.txt')])
    expect(isUntouched(known, starts)).toBe(false)
  })

  it('looks at a start that was not there', () => {
    const { root, starts, look } = makeFolder()
    mkdirSync(join(root, '.git'))
    const known = look()
    mkdirSync(join(root, '.git', 'inner'))
    expect(isUntouched(known, starts)).toBe(false)
  })

  it('always reads a link again: its target may change on its own', () => {
    const { look, root, starts } = makeFolder()
    symlinkSync('/etc/hostname', join(root, 'link.txt'))
    const known = look()
    expect(look(known)).toMatchObject({ suspects: [join(root, 'link.txt')], isSameListing: true })
    expect(isUntouched(known, starts)).toBe(false)
  })
})

it('believes the times of a file system that counts in seconds later than those of others', () => {
  expect(racyMsAt(1_800_000_000_123.4)).toBeLessThan(1000)
  expect(racyMsAt(1_800_000_000_000)).toBeGreaterThan(2000)
})
