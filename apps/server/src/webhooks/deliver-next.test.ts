import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDatabase } from '../../test/database.ts'
import { readRows } from '../audit/read-rows.ts'
import { sealPending } from '../audit/seal-events.ts'
import { connect, type Database } from '../db/connect.ts'
import { recordEvents } from '../db/record-event.ts'
import { deliverNext, type DeliverDeps } from './deliver-next.ts'
import type { Message } from './webhook-message.ts'

let db: Database

beforeAll(async () => {
  db = connect(await createDatabase(), { poolSize: 3 })
})
afterAll(() => db.close())

const hook = { url: 'https://hook.example/', events: ['blocked'] as const, secret: 'secret' }

function depsWith(send: DeliverDeps['send']): DeliverDeps {
  const audit = { read: (after: number, limit: number) => readRows(db, { after, limit }) }
  return { db, audit, send, log: pino({ level: 'silent' }), firstPauseMs: 0 }
}

async function blockSome(...ids: string[]): Promise<void> {
  const events = ids.map((subject) => ({ actor: 'a', action: 'change.block', subject, detail: {} }))
  await recordEvents(db.sql, events)
  await sealPending(db)
}

const idIn = ({ body }: Message) => (JSON.parse(body) as { data: { changeId: string } }).data.changeId

const placeOf = async () => Number((await db.sql`select seq from webhook`)[0]?.['seq'])

describe('delivering', () => {
  it('starts with events after the webhook was added', async () => {
    await blockSome('before')
    const sent: string[] = []
    const deps = depsWith(async (_, message) => void sent.push(idIn(message)))
    await deliverNext(deps, hook)
    await blockSome('one', 'two')
    await deliverNext(deps, hook)
    await deliverNext(deps, hook)
    expect(sent).toEqual(['one', 'two'])
  })

  it('gives up a message after twelve attempts, records it, and continues with the next', async () => {
    await blockSome('hard', 'easy')
    const sent: string[] = []
    const deps = depsWith(async (_, message) => {
      sent.push(idIn(message))
      return idIn(message) === 'hard' ? 'it returned 500' : undefined
    })
    for (let call = 0; call < 12; call++) await deliverNext(deps, hook)
    expect(sent).toEqual([...Array.from({ length: 12 }, () => 'hard'), 'easy'])
    const [event] = await db.sql`select detail from audit_event where action = 'webhook.give_up'`
    expect(event?.['detail']).toMatchObject({ url: 'https://hook.example', problem: 'it returned 500' })
    await sealPending(db)
  })

  it('keeps its progress when it is interrupted, and resends only the rest', async () => {
    await blockSome('first', 'second')
    const failing = depsWith(async (_, message) => {
      if (idIn(message) === 'second') throw new Error('the process died')
      return undefined
    })
    await expect(deliverNext(failing, hook)).rejects.toThrow('died')
    await db.sql`update webhook set lease_until = '-infinity'`
    const sent: string[] = []
    await deliverNext(
      depsWith(async (_, message) => void sent.push(idIn(message))),
      hook,
    )
    expect(sent).toEqual(['second'])
  })

  it('stops when another process has the lease', async () => {
    await blockSome('slow', 'later')
    const before = await placeOf()
    const sent: string[] = []
    const slow = depsWith(async (_, message) => {
      sent.push(idIn(message))
      await db.sql`update webhook set lease_until = clock_timestamp() + interval '1 minute'`
      return undefined
    })
    expect(await deliverNext(slow, hook)).toBe(false)
    expect(sent).toEqual(['slow'])
    expect(await placeOf()).toBe(before)
  })
})
