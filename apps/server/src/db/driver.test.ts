import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createDatabase } from '../../test/database.ts'
import { startCommitProxy, startTransactionPooler, type OnCommit } from '../../test/postgres-proxy.ts'
import { startRegistry } from '../../test/registry.ts'
import { connect, isConnectionError } from './connect.ts'

// Tests the changes that patches/postgres@3.4.9.patch makes to the driver.

let url: string
let direct: postgres.Sql
let onCommit: OnCommit | undefined
const cleanups: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  url = await createDatabase()
  direct = postgres(url, { max: 4, onnotice: () => {} })
  await direct`create table note (text text)`
})
afterEach(async () => {
  onCommit = undefined
  for (let cleanup = cleanups.pop(); cleanup; cleanup = cleanups.pop()) await cleanup()
  await direct`delete from note`
})
afterAll(() => direct.end())

async function commitProxy() {
  const proxy = await startCommitProxy(url, () => onCommit)
  cleanups.push(proxy.stop)
  return proxy
}

async function connectTo(address: string, { poolSize = 3 } = {}) {
  const db = connect(address, { poolSize })
  cleanups.push(db.close)
  return db
}

const stored = async () =>
  (await direct<{ text: string }[]>`select text from note order by text`).map(({ text }) => text)
const rolledBack = { code: '40000', message: expect.stringContaining('ROLLBACK') }

describe('a commit that the database answers with ROLLBACK', () => {
  it('rejects sql.begin, and the connection serves the next transaction', async () => {
    const { sql } = await connectTo((await commitProxy()).url)
    onCommit = 'rollback'
    await expect(sql.begin((tx) => tx`insert into note values ('lost')`)).rejects.toMatchObject(rolledBack)
    onCommit = undefined
    await sql.begin((tx) => tx`insert into note values ('kept')`)
    expect(await stored()).toEqual(['kept'])
  })

  it('rejects orm.transaction, nested or not', async () => {
    const { orm } = await connectTo((await commitProxy()).url)
    onCommit = 'rollback'
    const insert = `insert into note values ('lost')`
    await expect(orm.transaction((tx) => tx.execute(insert))).rejects.toMatchObject(rolledBack)
    const nested = orm.transaction((tx) => tx.transaction((inner) => inner.execute(insert)))
    await expect(nested).rejects.toMatchObject(rolledBack)
    expect(await stored()).toEqual([])
  })

  it('is not confirmed to a publisher', async () => {
    const registry = await startRegistry({ databaseUrl: (await commitProxy()).url })
    cleanups.push(registry.stop)
    const init = {
      method: 'PUT',
      headers: { ...(await registry.key('admin')), 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'stdio', description: 'x', install: { command: 'x' } }),
    }
    onCommit = 'rollback'
    const refused = await registry.fetch('/mcp/acme.lost.n.server', init)
    expect([refused.status, await refused.json()]).toMatchObject([500, { error: 'internal_error' }])
    onCommit = undefined
    expect((await registry.fetch('/mcp/acme.lost.n.server')).status).toBe(404)
    expect((await registry.fetch('/mcp/acme.lost.n.server', init)).status).toBe(201)
  })

  it('rejects a transaction that ignored the failure of a savepoint', async () => {
    const { sql } = await connectTo(url)
    const work = sql.begin(async (tx) => {
      await tx`insert into note values ('lost')`
      await tx
        .savepoint(async (inner) => {
          await inner.unsafe('release savepoint s0')
          await inner.unsafe('no sql')
        })
        .catch(() => {})
    })
    await expect(work).rejects.toMatchObject(rolledBack)
    expect(await stored()).toEqual([])
  })

  it('rejects PREPARE TRANSACTION', async () => {
    const { sql } = await connectTo(url)
    const work = sql.begin(async (tx) => {
      await tx
        .savepoint(async (inner) => {
          await inner.unsafe('release savepoint s0')
          await inner.unsafe('no sql')
        })
        .catch(() => {})
      ;(tx as unknown as { prepare(name: string): void }).prepare('later')
    })
    await expect(work).rejects.toMatchObject(rolledBack)
  })
})

describe('a connection', () => {
  it.each(['cut', 'reset'] as const)('that is %s between COMMIT and its response rejects', async (how) => {
    const { sql, orm } = await connectTo((await commitProxy()).url)
    onCommit = how
    for (const work of [
      () => sql.begin((tx) => tx`insert into note values ('unknown')`),
      () => orm.transaction((tx) => tx.execute(`insert into note values ('unknown')`)),
    ]) {
      const error = await work().then(
        () => undefined,
        (reason) => reason,
      )
      expect(isConnectionError(error), String(error)).toBe(true)
    }
    onCommit = undefined
    expect(await sql`select 1 as one`).toMatchObject([{ one: 1 }])
  })

  it('that was lost takes no more statements of its transaction, even after it is reused', async () => {
    const { sql } = await connectTo(url, { poolSize: 1 })
    let goOn = (): void => {}
    const reconnected = new Promise<void>((done) => (goOn = done))
    let late: Promise<unknown> = Promise.resolve()
    const work = sql.begin(async (tx) => {
      await tx`insert into note values ('before')`
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
      await direct`select pg_terminate_backend(${row?.pid ?? 0})`
      await reconnected
      late = Promise.resolve(tx`insert into note values ('after')`)
      await late
    })
    await expect(work).rejects.toSatisfy(isConnectionError)
    await sql.begin(async (tx) => {
      await tx`insert into note values ('other')`
      goOn()
      await expect.poll(() => late.then(() => 'stored', String)).toMatch('CONNECTION_CLOSED')
      expect(await tx`select text from note`).toEqual([{ text: 'other' }])
    })
    expect(await stored()).toEqual(['other'])
  })

  it.each(['cut', 'reset'] as const)('that is %s settles every statement of its transaction', async (how) => {
    const { sql } = await connectTo((await commitProxy()).url)
    onCommit = how
    let answers: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([])
    const work = sql.begin(async (tx) => {
      const lost = tx.unsafe('commit')
      const later = lost.catch(() => tx`select 'later'`)
      answers = Promise.allSettled([lost, tx`select 'queued'`, tx`select 'queued'`, later])
      await answers
    })
    await expect(work).rejects.toSatisfy(isConnectionError)
    const reasons = (await answers).map((answer) => answer.status === 'rejected' && answer.reason)
    for (const reason of reasons) expect(reason).toSatisfy(isConnectionError)
    expect(reasons).toHaveLength(4)
  })

  it('takes no statement of a transaction that has ended', async () => {
    const { sql } = await connectTo(url, { poolSize: 1 })
    const kept = await sql.begin(async (tx) => ({ tx }))
    await expect(kept.tx`insert into note values ('late')`).rejects.toMatchObject({ code: '25P01' })
    const ended = sql.begin(async (tx) => {
      await tx.unsafe('rollback')
      await tx`insert into note values ('outside')`
    })
    await expect(ended).rejects.toMatchObject({ code: '25P01' })
    expect(await stored()).toEqual([])
  })

  it('with many pending statements keeps transactions apart', async () => {
    const { sql } = await connectTo(url, { poolSize: 2 })
    const reads = () => Array.from({ length: 130 }, () => sql`select 1`.then(() => 'read'))
    const writes = Array.from({ length: 40 }, (_, index) => [
      ...reads(),
      sql.begin((tx) => tx`insert into note values (${`n${index}`})`.then(() => 'written')),
    ])
    const answers = await Promise.allSettled(writes.flat())
    expect(answers.filter(({ status }) => status === 'rejected')).toEqual([])
    expect((await stored()).length).toBe(40)
  })
})

describe('a prepared statement that the backend does not know', () => {
  it('is not retried in a transaction, which has already failed', async () => {
    const sent: string[] = []
    const sql = postgres(url, { max: 1, debug: (_id, text) => void sent.push(text) })
    cleanups.push(() => sql.end())
    const select = (tx: postgres.TransactionSql) => tx`select 'again'`
    const work = sql.begin(async (tx) => {
      await tx`insert into note values ('lost')`
      await select(tx)
      await tx.unsafe('deallocate all')
      await select(tx)
    })
    await expect(work).rejects.toMatchObject({ code: '26000' })
    expect(sent.filter((text) => text.includes('again'))).toHaveLength(2)
    expect(await stored()).toEqual([])
  })

  it('is retried outside of a transaction', async () => {
    const { sql } = await connectTo(url, { poolSize: 1 })
    const select = () => sql`select 'again' as text`
    await select()
    await sql.unsafe('deallocate all')
    expect(await select()).toEqual([{ text: 'again' }])
  })
})

describe('behind a transaction pooler', () => {
  it.each(['oldest', 'newest'] as const)(
    'confirmed writes are stored, with the %s backend for each transaction',
    async (pick) => {
      const pooler = await startTransactionPooler(url, { pick })
      cleanups.push(pooler.stop)
      const { sql, orm } = await connectTo(pooler.url, { poolSize: 4 })
      const work = Array.from({ length: 80 }, async (_, index) => {
        const text = `n${String(index).padStart(2, '0')}`
        if (index % 2 === 0) await sql.begin((tx) => tx.unsafe(`insert into note values ('${text}')`))
        else await orm.transaction((tx) => tx.execute(`insert into note values ('${text}')`))
        return text
      })
      const answers = await Promise.allSettled(work)
      const acknowledged = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      expect(await stored()).toEqual(acknowledged)
      expect(acknowledged.length).toBe(80)
    },
  )
})
