import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { integrityOf, parseName, reprDigest, type Name } from '@pml/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { byteString } from '../wire/answer.ts'
import { openBodyFile, type BodyFile } from './body-file.ts'
import type { Entry } from './entry.ts'
import { createEntryStore, type EntryStore } from './entry-store.ts'

const KIBIBYTE = 1024

let folder: string
let file: BodyFile
let store: EntryStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pml-store-'))
  file = openBodyFile(folder)
  store = createEntryStore(file, { memoryBytes: 160 * 250, fileBytes: 64 * KIBIBYTE })
})
afterEach(async () => {
  file.close()
  await rm(folder, { recursive: true })
})

const nameOf = (index: number): Name => parseName(`acme.store.ns.e${index}`)

function entry(index: number, text: string): Entry {
  const bytes = Buffer.from(text)
  return {
    name: nameOf(index),
    hash: integrityOf(bytes).slice('sha256-'.length, 'sha256-'.length + 4),
    integrity: integrityOf(bytes),
    visibility: 'public',
    retired: false,
    type: 'deno',
    routing: 'client',
    digest: reprDigest(integrityOf(bytes)),
    body: byteString(bytes),
  }
}

describe('the entry store', () => {
  it('preserves all bytes exactly', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
    store.set({ ...entry(1, ''), body: byteString(bytes) })
    expect(Buffer.from(store.get(nameOf(1))?.body ?? '', 'latin1')).toEqual(bytes)
    store.set(entry(2, ''))
    expect(store.get(nameOf(2))?.body).toBe('')
  })

  it.each<Partial<Entry>>([
    { type: 'stdio', routing: 'server', visibility: 'private' },
    { type: 'http', retired: true },
    { hash: entry(1, 'body').integrity.slice('sha256-'.length, 'sha256-'.length + 64) },
  ])('preserves every other field of an entry, such as %j', (differing) => {
    const kept = { ...entry(1, 'body'), ...differing }
    store.set(kept)
    expect(store.get(nameOf(1))).toEqual(kept)
  })

  it('has room until it would have to evict an entry', () => {
    for (let index = 0; index < 150; index++) store.set(entry(index, 'body'))
    expect(store.hasRoom).toBe(true)
    for (let index = 150; index < 160; index++) store.set(entry(index, 'body'))
    expect(store.hasRoom).toBe(false)
    expect(store.get(nameOf(0))?.body).toBe('body')
  })

  it('leaves no file that another process could open', async () => {
    store.set(entry(1, 'body'))
    expect(await readdir(folder)).toEqual([])
  })

  it('evicts unread entries and keeps read ones, within its limits', () => {
    store.set(entry(0, 'often read'))
    for (let index = 1; index < 2000; index++) {
      store.set(entry(index, `body ${index}`))
      expect(store.get(nameOf(0))?.body).toBe('often read')
    }
    expect(store.get(nameOf(1))).toBeUndefined()
    expect(store.get(nameOf(1999))?.body).toBe('body 1999')
    expect(store.heldBytes).toBeLessThanOrEqual(160 * 250)
  })

  it('returns the newest body, however often the previous one was read', () => {
    for (const text of ['first', 'second', 'third']) {
      store.set(entry(1, text))
      for (let read = 0; read < 200; read++) expect(store.get(nameOf(1))?.body).toBe(text)
    }
  })

  it('does not store an entry that would take a large share of the file', () => {
    store.set(entry(1, 'x'.repeat(2 * KIBIBYTE)))
    expect(store.get(nameOf(1))).toBeUndefined()
  })

  it('never returns an older body, another entry’s body or part of a body', () => {
    const action = fc.record({
      index: fc.nat(40),
      size: fc.nat(1000),
      kind: fc.constantFrom('set', 'set', 'get', 'get', 'delete'),
    })
    fc.assert(
      fc.property(fc.array(action, { maxLength: 400 }), (actions) => {
        store.clear()
        const latest = new Map<number, string>()
        for (const [step, { index, size, kind }] of actions.entries()) {
          if (kind === 'delete') store.delete(nameOf(index))
          if (kind === 'delete') latest.delete(index)
          if (kind === 'set') latest.set(index, `${step}:${index}:${'x'.repeat(size)}`)
          if (kind === 'set') store.set(entry(index, latest.get(index) ?? ''))
          const found = store.get(nameOf(index))
          if (found) expect(found.body).toBe(latest.get(index))
        }
      }),
      { numRuns: 50 },
    )
  })

  it('throws when the file is too short', () => {
    expect(() => file.read(KIBIBYTE, 4)).toThrow('Cannot use the body cache')
  })
})
