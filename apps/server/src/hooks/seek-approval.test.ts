import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  approve,
  callerWith,
  newContent,
  reject,
  send,
  type Body,
  type Caller,
} from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

let one: TestRegistry
let two: TestRegistry
let hook: Caller
let guard: Caller

beforeAll(async () => {
  one = await startRegistry()
  two = await startRegistry({ databaseUrl: one.databaseUrl })
  hook = await callerWith(one, ['hook'])
  guard = await callerWith(one, ['approve'], 'guard')
})
afterAll(async () => {
  await two.stop()
  await one.stop()
})

interface File {
  readonly path: string
  readonly content: string
}

const session = randomUUID()
const newFile = (): File => ({ path: `src/${randomUUID()}.ts`, content: newContent() })
const wanted = (file: File) => ({ ...file, rule: 'GUARDED', reason: 'It is guarded', specialist: 'guard' })
const bodyFor = (...files: readonly File[]) => ({
  agent: 'gemini',
  session,
  tool: 'write_file',
  wanted: files.map(wanted),
})
const settle = async (...files: readonly File[]) =>
  (await hook.send('POST', '/hooks/approvals', bodyFor(...files))).body
const changeIn = (body: Body) => /chg_[0-9a-f]+/.exec(String(body['action']))?.[0] ?? ''
const found = async ({ path }: File) => {
  const { body } = await guard.send('GET', `/audit?subject=${path}`)
  return (body['events'] as { action: string; actor: string; detail: object }[]).toReversed()
}

describe('approvals that a hook asks for', () => {
  it('wait for review, are used up once given, and wait for review again', async () => {
    const file = newFile()
    const answer = await settle(file)
    const id = changeIn(answer)
    expect(answer).toEqual({
      approved: false,
      action: `ask guard to review change ${id}, then make exactly the same change again`,
      notes: [`Change ${id} is waiting for a review in the registry.`],
    })
    await approve(guard, id)
    expect(await settle(file)).toEqual({ approved: true })
    expect(await settle(file)).toMatchObject({ approved: false })
    const detail = { agent: 'gemini', session, rule: 'GUARDED', tool: 'write_file' }
    expect(await found(file)).toMatchObject([
      { action: 'hook.blocked', actor: hook.id, detail: { ...detail, reason: 'It is guarded' } },
      { action: 'hook.allowed', actor: hook.id, detail: { ...detail, reason: `Approved by guard (${id})` } },
      { action: 'hook.blocked', actor: hook.id, detail },
    ])
  })

  it('allow exactly one of many concurrent calls on two replicas', async () => {
    const file = newFile()
    await approve(guard, changeIn(await settle(file)))
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        send(`${(index % 2 === 0 ? one : two).url}/hooks/approvals`, hook.key, { body: bodyFor(file) }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(answers.filter(({ body }) => body['approved'] === true)).toHaveLength(1)
  })

  it('are not used up if one of them is missing', async () => {
    const files = [newFile(), newFile()]
    const [first = '', second = ''] = String((await settle(...files))['action']).match(/chg_[0-9a-f]+/g) ?? []
    await approve(guard, first)
    const answer = await settle(...files)
    expect(changeIn(answer)).toBe(second)
    await approve(guard, second)
    expect(await settle(...files)).toEqual({ approved: true })
  })

  it("include the reviewer's advice after a rejection", async () => {
    const file = newFile()
    await reject(guard, changeIn(await settle(file)), { education: 'Test what it does' })
    expect(await settle(file)).toEqual({
      approved: false,
      action: `change what you write to ${file.path}: a reviewer rejected this content`,
      notes: ['It was rejected: It is empty.', 'Test what it does'],
    })
  })

  it('are refused without a key, without the scope, and for an invalid request', async () => {
    const body = bodyFor(newFile())
    expect(await send(`${one.url}/hooks/approvals`, undefined, { body })).toMatchObject({ status: 401 })
    expect(await guard.send('POST', '/hooks/approvals', body)).toMatchObject({ status: 403 })
    const wrong = [{ ...body, wanted: [] }, { ...body, agent: 'nobody' }, { ...body, approved: true }, {}]
    for (const one of wrong)
      expect(await hook.send('POST', '/hooks/approvals', one)).toMatchObject({
        status: 422,
        body: { error: 'invalid_body' },
      })
    const large = { path: 'a.ts', content: 'x'.repeat(1024 * 1024 + 1) }
    expect(await hook.send('POST', '/hooks/approvals', bodyFor(large))).toMatchObject({ status: 413 })
  })

  it('are used all or none, even if other calls use them concurrently', async () => {
    for (let round = 0; round < 20; round++) {
      const [a, b] = [newFile(), newFile()]
      for (const file of [a, b]) await approve(guard, changeIn(await settle(file)))
      const elsewhere = { ...hook, send: hook.send }
      const [both, one] = await Promise.all([
        elsewhere.send('POST', '/hooks/approvals', bodyFor(a, b)),
        hook.send('POST', '/hooks/approvals', bodyFor(b)),
      ])
      expect([both.body['approved'], one.body['approved']].filter(Boolean)).toHaveLength(1)
      const left = await hook.send('POST', '/approvals/check', a)
      expect(left.body['approved']).toBe(!both.body['approved'])
    }
  })

  it('are used once if a call names a file twice', async () => {
    const [a, b] = [newFile(), newFile()]
    await approve(guard, changeIn(await settle(a)))
    expect(await settle(a, a)).toEqual({ approved: true })
    expect(await settle(a)).toMatchObject({ approved: false })
    for (const file of [a, b]) await approve(guard, changeIn(await settle(file)))
    expect(await settle(a, b, a)).toEqual({ approved: true })
  })

  it('allow concurrent calls by patterns in any order', async () => {
    const keeper = await callerWith(one, ['pattern'], 'keeper')
    const words = Array.from({ length: 6 }, () => `pass${randomUUID().replaceAll('-', '')}`)
    for (const word of words) {
      const request = { kind: 'approve', type: 'any', reason: 'It is known', pattern: `^${word} [0-9]+$` }
      expect(
        await keeper.send('POST', '/approvals/patterns', { ...request, example: `${word} 1` }),
      ).toMatchObject({ status: 201 })
    }
    const files = words.map((word) => ({ path: 'src/a.ts', content: `${word} 7\n` }))
    const elsewhere = await callerWith(two, ['hook'])
    const calls = Array.from({ length: 30 }, (_, at) =>
      (at % 2 ? hook : elsewhere).send(
        'POST',
        '/hooks/approvals',
        bodyFor(...(at % 2 ? files : files.toReversed())),
      ),
    )
    for (const { status, body } of await Promise.all(calls))
      expect([status, body]).toEqual([200, { approved: true }])
  })
})
