import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, callerWith, newContent, reject, type Caller } from '../../test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

let registry: TestRegistry
let hook: Caller
let guard: Caller
beforeAll(async () => {
  registry = await startRegistry()
  hook = await callerWith(registry, ['hook'])
  guard = await callerWith(registry, ['approve'], 'guard')
})
afterAll(() => registry.stop())

interface Place {
  readonly path: string
  readonly content: string
  readonly project?: string
}

const newPlace = (project?: string): Place => ({
  path: 'src/app.ts',
  content: newContent(),
  ...(project !== undefined && { project }),
})
const block = async (place: Place) =>
  (await hook.send('POST', '/approvals/changes', { tool: 'Write', ...place })).body
const spend = async (place: Place) => {
  const { status, body } = await hook.send('POST', '/approvals/spend', { ...place })
  return body['error'] ?? status
}

describe('an approval', () => {
  it("works in the change's project and in no other", async () => {
    const place = newPlace('shop github.com/acme/shop')
    const { id } = await block(place)
    await approve(guard, id)
    const { project: _, ...nowhere } = place
    expect(await spend({ ...place, project: 'shop github.com/other/shop' })).toBe('content_mismatch')
    expect(await spend(nowhere)).toBe('content_mismatch')
    expect(await spend(place)).toBe(200)
    expect(await spend(place)).toBe('already_used')
  })

  it('without a project works for callers that name none', async () => {
    const place = newPlace()
    const { id } = await block(place)
    await approve(guard, id)
    expect(await spend({ ...place, project: 'shop' })).toBe('content_mismatch')
    expect(await spend({ ...place, project: '' })).toBe(200)
  })

  it('does not work in another project, even with its token in the content', async () => {
    const place = newPlace('one')
    const { id } = await block(place)
    const { body } = await approve(guard, id)
    const marked = { ...place, content: `${place.content.trimEnd()}\n// GUARD-APPROVED: ${body.token}\n` }
    expect(await spend({ ...marked, project: 'two' })).toBe('content_mismatch')
    expect(await spend(marked)).toBe(200)
  })

  it('is found by a check in its project only', async () => {
    const place = newPlace('one & only')
    const { id, contentHash } = await block(place)
    await approve(guard, id)
    const by = async (query: string) =>
      (await hook.send('GET', `/approvals/check?hash=${contentHash}${query}`)).body['approved']
    expect(await by('')).toBe(false)
    expect(await by('&project=two')).toBe(false)
    expect(await by('&project=one%20%26%20only')).toBe(true)
    const sent = async (project?: string) =>
      (await hook.send('POST', '/approvals/check', { ...place, ...(project !== undefined && { project }) }))
        .body
    expect((await sent('two'))['approved']).toBe(false)
    expect((await sent())['approved']).toBe(true)
  })
})

describe('a change', () => {
  it('is separate in each project, and shows its project', async () => {
    const place = newPlace('one')
    const [first, again, other] = [
      await block(place),
      await block(place),
      await block({ ...place, project: 'two' }),
    ]
    expect([again.id, other.contentHash]).toEqual([first.id, first.contentHash])
    expect(other.id).not.toBe(first.id)
    const { body } = await guard.send('GET', `/approvals/changes/${other.id}`)
    expect(body['project']).toBe('two')
    const listed = await guard.send('GET', '/approvals/changes?project=two')
    expect((listed.body['changes'] as { id: string }[]).map(({ id }) => id)).toContain(other.id)
    expect((listed.body['changes'] as { id: string }[]).map(({ id }) => id)).not.toContain(first.id)
  })

  it('rejected in one project can be approved in another', async () => {
    const place = newPlace('one')
    const [one, two] = [await block(place), await block({ ...place, project: 'two' })]
    await approve(guard, two.id)
    await reject(guard, one.id)
    expect(await spend(place)).toBe('rejected')
    expect(await spend({ ...place, project: 'two' })).toBe(200)
  })

  it('rejected in one project can be allowed by a pattern only in another', async () => {
    const keeper = await callerWith(registry, ['approve', 'pattern'], 'keeper')
    const content = "export const limitOfProjects = 'twelve'\n"
    const pattern = "^export const limitOfProjects = '[a-z]+'$"
    const request = { kind: 'approve', type: 'any', reason: 'It is good', pattern, example: content.trim() }
    expect((await keeper.send('POST', '/approvals/patterns', request)).status).toBe(201)
    const one = { path: 'src/limit.ts', content, project: 'one' }
    const two = { ...one, project: 'two' }
    const changes = [await block(one), await block(two)] as const
    await reject(guard, changes[0].id)
    expect((await hook.send('POST', '/approvals/check', { ...two })).body['approved']).toBe(true)
    await approve(guard, changes[1].id)
    expect(await spend(one)).toBe('rejected')
  })

  it('is found by its file if it is open in one project, otherwise by file and project', async () => {
    const place = { ...newPlace('one'), path: 'src/both.ts' }
    const { contentHash } = await block(place)
    const decide = async (more: object) => {
      const request = { blocked_file: place.path, content_hash: contentHash, reason: 'It is fine', ...more }
      const { status, body } = await guard.send('POST', '/tools/registry_approve_change', request)
      return { status, message: String(body['message']) }
    }
    const two = { ...place, project: 'two' }
    await block(two)
    const refused = await decide({})
    expect(refused).toMatchObject({
      status: 422,
      message: expect.stringContaining('it waits in several projects'),
    })
    expect(refused.message).toMatch(/"(?:one|two)", "(?:one|two)"/)
    expect((await decide({ project: 'two' })).status).toBe(200)
    expect(await spend(two)).toBe(200)
    expect((await decide({})).status).toBe(200)
    expect(await spend(place)).toBe(200)
  })

  it.each([
    ['a NUL character', 'a\0b', 400],
    ['too many bytes', 'ä'.repeat(201), 422],
  ])('is refused where the name of its project has %s', async (_what, project, expected) => {
    const { status } = await hook.send('POST', '/approvals/changes', { tool: 'Write', ...newPlace(project) })
    expect(status).toBe(expected)
  })
})

describe('a hook that asks for approval', () => {
  const ask = async (place: Place) => {
    const wanted = [{ ...place, rule: 'GUARDED', reason: 'It is guarded', specialist: 'guard' }]
    const { body } = await hook.send('POST', '/hooks/approvals', { agent: 'codex', tool: 'Write', wanted })
    return { approved: body['approved'], id: /chg_[0-9a-f]+/.exec(String(body['action']))?.[0] ?? '' }
  }

  it('gets it for its project', async () => {
    const place = newPlace('one')
    const { id } = await ask(place)
    await approve(guard, id)
    const elsewhere = await ask({ ...place, project: 'two' })
    expect(elsewhere.approved).toBe(false)
    expect(elsewhere.id).not.toBe(id)
    expect((await ask(place)).approved).toBe(true)
  })
})
