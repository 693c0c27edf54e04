import { parseName, type Name } from '@pml/core'
import { pino } from 'pino'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../db/connect.ts'
import { createCurrentEntries, type CurrentEntries } from './current-entries.ts'
import type { Entry } from './entry.ts'
import type { EntryStore } from './entry-store.ts'

interface Query {
  readonly names: readonly Name[]
  answer(hash: string): void
  fail(error: Error): void
}

const a = parseName('acme.tools.files.read')
const nextTurn = () => new Promise((done) => setTimeout(done, 10))

let queries: Query[]
let held: Map<Name, Entry>
let entries: CurrentEntries

/** A database whose queries the test answers by hand. */
beforeEach(() => {
  queries = []
  held = new Map()
  const rowOf = (name: Name, hash: string) => ({
    name,
    hash,
    visibility: 'public',
    retired: false,
    type: 'deno',
    routing: 'client',
    integrity: `sha256-${hash}`,
    digest: '',
    bytes: new Uint8Array(),
  })
  const lookups = (_query: TemplateStringsArray, names: readonly Name[]) =>
    new Promise((done, fail) => {
      queries.push({ names, answer: (hash) => done(names.map((name) => rowOf(name, hash))), fail })
    })
  const store = {
    get: (name: Name) => held.get(name),
    set: (entry: Entry) => void held.set(entry.name, entry),
    delete: (name: Name) => void held.delete(name),
    clear: () => held.clear(),
  } as unknown as EntryStore
  const db = { lookups } as unknown as Pick<Database, 'lookups'>
  entries = createCurrentEntries(db, store, pino({ level: 'silent' }))
})

describe('entries that are read from the database', () => {
  it('are queried once for concurrent requests', async () => {
    const found = [entries.find(a), entries.find(a), entries.find(a)]
    await nextTurn()
    expect(entries.isBusy).toBe(true)
    expect(queries.map(({ names }) => names)).toEqual([[a]])
    queries[0]?.answer('1')
    expect(await Promise.all(found)).toMatchObject([{ hash: '1' }, { hash: '1' }, { hash: '1' }])
    expect(held.get(a)).toMatchObject({ hash: '1' })
    await nextTurn()
    expect(entries.isBusy).toBe(false)
  })

  it.each([
    ['its name', () => entries.drop(a)],
    ['everything', () => entries.clear()],
  ])('are returned but not cached when %s changes during the query', async (_what, hear) => {
    const before = entries.find(a)
    await nextTurn()
    hear()
    const after = entries.find(a)
    await nextTurn()
    expect(queries.map(({ names }) => names)).toEqual([[a], [a]])
    queries[1]?.answer('new')
    expect(await after).toMatchObject({ hash: 'new' })
    queries[0]?.answer('old')
    expect(await before).toMatchObject({ hash: 'old' })
    expect(held.get(a)).toMatchObject({ hash: 'new' })
  })

  it('are queried again after a failure', async () => {
    const failing = entries.find(a)
    await nextTurn()
    queries[0]?.fail(new Error('gone'))
    await expect(failing).rejects.toThrow('gone')
    const again = entries.find(a)
    await nextTurn()
    queries[1]?.answer('1')
    expect(await again).toMatchObject({ hash: '1' })
  })

  it('are batched while the database is busy', async () => {
    const names = Array.from({ length: 5 }, (_, at) => parseName(`acme.tools.files.n${at}`))
    const found: Promise<unknown>[] = []
    for (const name of names) {
      found.push(entries.find(name))
      await nextTurn()
    }
    expect(queries.map((query) => query.names.length)).toEqual([1, 1])
    queries[0]?.answer('1')
    await nextTurn()
    expect(queries[2]?.names).toEqual(names.slice(2))
    for (const query of queries) query.answer('1')
    await Promise.all(found)
  })
})
