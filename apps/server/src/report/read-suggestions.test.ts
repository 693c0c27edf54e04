import { usualApprovalConfig, parseApprovalConfig } from '@pml/core/approval-config'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  clearChanges,
  digestOf,
  putChange,
  putPattern,
  secondsAgo,
  type TestChange,
} from '../../test/changes.ts'
import { createDatabase } from '../../test/database.ts'
import { startRegistry } from '../../test/registry.ts'
import { connect, type Database } from '../db/connect.ts'
import type { Actor } from '../keys/actor.ts'
import { readReport } from './read-report.ts'
import { readSuggestions } from './read-suggestions.ts'

const reviewer: Actor = { id: 'k1', scopes: ['approve'], specialist: 'testguard' }
const types = {
  test: { paths: ['**/*.test.ts'], promoteAfter: 3 },
  style: { paths: ['**/*.css'], promoteAfter: 2 },
}
const config = parseApprovalConfig(JSON.stringify({ types }), 'approvals.json')
/** Like the real one, returns the same pattern for contents that differ only in their literals. */
const patternFor = (content: string) => `^${content.trim().replaceAll(/'[^']*'/g, "'[^']*'")}$`

let db: Database

beforeAll(async () => {
  db = connect(await createDatabase(), { poolSize: 2 })
})
beforeEach(() => clearChanges(db))
afterAll(() => db.close())

const read = async () =>
  (await readSuggestions({ db, config: () => config, patternFor }, reviewer)).suggestions

let count = 0
/** Inserts an approved change with unique content of a common shape. */
const approve = (request: TestChange = {}) =>
  putChange(db, {
    type: 'test',
    content: `expect(run).rejects.toThrow('no ${++count}')\n`,
    shape: digestOf('throws'),
    blockedAt: secondsAgo(7200 - count),
    decidedAfterSeconds: 60,
    reason: 'Says which error',
    ...request,
  })

describe('a suggestion', () => {
  it('is a pattern for content approved often enough, with its newest examples', async () => {
    const ids: string[] = []
    for (let done = 0; done < 6; done++) ids.push(await approve({ path: `src/${done}.test.ts` }))
    const suggestions = await read()
    expect(suggestions).toEqual([
      {
        type: 'test',
        approvals: 6,
        pattern: "^expect(run).rejects.toThrow('[^']*')$",
        examples: [5, 4, 3, 2, 1].map((index) => ({
          changeId: ids[index],
          path: `src/${index}.test.ts`,
          contentHash: expect.stringMatching(/^sha256-/),
          reason: 'Says which error',
          specialist: 'testguard',
        })),
        sentence: expect.stringMatching(/^6 contents of type test .* none was rejected/),
      },
    ])
  })

  it('needs the approvals that its type requires, used or not', async () => {
    await approve()
    await approve({ status: 'used', usedAt: secondsAgo(60) })
    expect(await read()).toEqual([])
    await approve()
    expect(await read()).toHaveLength(1)
    await approve({ type: 'style', shape: digestOf('colour'), content: "color('red')" })
    await approve({ type: 'style', shape: digestOf('colour'), content: "color('blue')" })
    expect(await read()).toMatchObject([{ type: 'test' }, { type: 'style' }])
  })

  it('counts the same content once', async () => {
    for (const path of ['a.test.ts', 'b.test.ts', 'c.test.ts']) await approve({ path, content: 'same\n' })
    expect(await read()).toEqual([])
  })

  it.each([
    ['one was rejected', { status: 'rejected' as const }],
    ['one was rejected that is longer than patterns go', { status: 'rejected' as const, sizeBytes: 70_000 }],
  ])('is not made if %s', async (_, request) => {
    for (let done = 0; done < 3; done++) await approve()
    await approve(request)
    expect(await read()).toEqual([])
  })

  it.each([
    ['still wait', { status: 'blocked' as const }],
    ['have no shape', { shape: undefined }],
    ['are of a type that is no longer configured', { type: 'gone' }],
    ['are longer than patterns go', { sizeBytes: 70_000 }],
  ])('is not made from changes that %s', async (_, request) => {
    for (let done = 0; done < 3; done++) await approve({ ...request } as TestChange)
    expect(await read()).toEqual([])
  })

  it('is made for each shape, and for each type', async () => {
    for (let done = 0; done < 3; done++) {
      await approve()
      await approve({ shape: digestOf('resolves'), content: `expect(run).resolves('${done}')` })
      await approve({ type: 'style' })
    }
    expect((await read()).map(({ type, approvals }) => [type, approvals])).toEqual(
      expect.arrayContaining([
        ['style', 3],
        ['test', 3],
        ['test', 3],
      ]),
    )
  })

  it.each([
    ['has that pattern', { pattern: "^expect(run).rejects.toThrow('[^']*')$" }],
    ['was made from such content', { example: "expect(run).rejects.toThrow('timeout')" }],
    ['has that pattern for any type', { type: 'any', pattern: "^expect(run).rejects.toThrow('[^']*')$" }],
  ])('is not made if an active pattern %s', async (_, request) => {
    for (let done = 0; done < 3; done++) await approve()
    await putPattern(db, request)
    expect(await read()).toEqual([])
  })

  it.each([
    ['was removed', { removedAt: secondsAgo(60) }],
    ['blocks', { kind: 'block' as const }],
    ['is for another type', { type: 'style' }],
  ])('is made although a pattern that %s is the same', async (_, request) => {
    for (let done = 0; done < 3; done++) await approve()
    await putPattern(db, { pattern: "^expect(run).rejects.toThrow('[^']*')$", ...request })
    expect(await read()).toHaveLength(1)
  })

  it('is never added automatically', async () => {
    for (let done = 0; done < 3; done++) await approve()
    await read()
    expect(await db.sql`select from pattern`).toHaveLength(0)
  })

  it('is in the report', async () => {
    for (let done = 0; done < 3; done++) await approve()
    const report = await readReport({ db, config: () => config, patternFor }, reviewer, { days: 1 })
    expect(report.suggestions).toEqual(await read())
  })

  it('is refused without the approve scope', async () => {
    const deps = { db, config: () => config, patternFor }
    expect(() => readSuggestions(deps, { ...reviewer, scopes: ['hook'] })).toThrow('lacks the scope approve')
  })
})

it('suggestions over HTTP follow the configured number of approvals', async () => {
  const registry = await startRegistry()
  try {
    const { promoteAfter } = usualApprovalConfig.typeOf('a.ts')
    for (let done = 0; done < promoteAfter; done++)
      await putChange(registry.db, {
        content: `const a = ${done}\n`,
        shape: digestOf('const'),
        decidedAfterSeconds: 60,
      })
    const response = await registry.fetch('/approvals/suggestions', {
      headers: await registry.key('approve'),
    })
    expect(await response.json()).toMatchObject({ suggestions: [{ type: 'other', approvals: promoteAfter }] })
  } finally {
    await registry.stop()
  }
})
