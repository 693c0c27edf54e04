import { describe, expect, it } from 'vitest'
import { createBatch } from './batch.ts'

interface Query {
  readonly questions: readonly number[]
  answer(): void
  fail(error: Error): void
}

/** Queries that the test answers by hand. */
function heldQueries() {
  const queries: Query[] = []
  const ask = (questions: readonly number[]) =>
    new Promise<readonly string[]>((done, fail) => {
      queries.push({ questions, answer: () => done(questions.map(String)), fail })
    })
  return { queries, ask }
}

const nextTurn = () => new Promise((done) => setImmediate(done))

describe('a batch', () => {
  it('asks immediately, and batches questions while all lanes are busy', async () => {
    const { queries, ask } = heldQueries()
    const batch = createBatch(ask, { most: 10, lanes: 2 })
    const first = [batch(1), batch(2)]
    await nextTurn()
    const second = batch(3)
    await nextTurn()
    const late = [batch(4), batch(5)]
    await nextTurn()
    expect(queries.map(({ questions }) => questions)).toEqual([[1, 2], [3]])
    queries[1]?.answer()
    expect(await second).toBe('3')
    await nextTurn()
    expect(queries.map(({ questions }) => questions)).toEqual([[1, 2], [3], [4, 5]])
    queries[0]?.answer()
    queries[2]?.answer()
    expect(await Promise.all([...first, ...late])).toEqual(['1', '2', '4', '5'])
  })

  it('respects the batch size and answers every question', async () => {
    const { queries, ask } = heldQueries()
    const batch = createBatch(ask, { most: 2, lanes: 1 })
    const answers = Promise.all([1, 2, 3, 4, 5].map(batch))
    for (let round = 0; round < 3; round++) {
      await nextTurn()
      queries[round]?.answer()
      await nextTurn()
    }
    expect(await answers).toEqual(['1', '2', '3', '4', '5'])
    expect(queries.map(({ questions }) => questions)).toEqual([[1, 2], [3, 4], [5]])
  })

  it('fails the questions of a failed query, and answers later ones', async () => {
    const { queries, ask } = heldQueries()
    const batch = createBatch(ask, { most: 1, lanes: 1 })
    const failing = batch(1)
    const later = batch(2)
    await nextTurn()
    queries[0]?.fail(new Error('gone'))
    await expect(failing).rejects.toThrow('gone')
    await nextTurn()
    queries[1]?.answer()
    expect(await later).toBe('2')
  })
})
