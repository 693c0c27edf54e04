import { keyCreated, keyList, newKey } from '@pml/core/schemas'
import type { Hono } from 'hono'
import { answer, bodyFails, describeRoutes, inPath, json, named } from '../docs/describe.ts'
import { readerOf, writerOf } from '../http/caller.ts'
import type { Env } from '../http/observe-requests.ts'
import { createKey } from '../keys/create-key.ts'
import { listKeys } from '../keys/list-keys.ts'
import { revokeKey } from '../keys/revoke-key.ts'
import { rotateKey } from '../keys/rotate-key.ts'
import type { AppDeps } from './app-deps.ts'
import { bodyOf } from './read-request.ts'

export function addKeys(app: Hono<Env>, deps: AppDeps): void {
  const { db } = deps
  app.post('/keys', docs.createKey, async (c) => {
    const actor = await writerOf(deps, c)
    return c.json(await createKey(db, actor, () => bodyOf(deps, c, { schema: newKey, actor })), 201)
  })
  app.get('/keys', docs.listKeys, async (c) => c.json(await listKeys(db, await readerOf(deps, c))))
  app.post('/keys/:id/rotate', docs.rotateKey, async (c) =>
    c.json(await rotateKey(db, await writerOf(deps, c), c.req.param('id'))),
  )
  app.delete('/keys/:id', docs.revokeKey, async (c) => {
    await revokeKey(db, await writerOf(deps, c), c.req.param('id'))
    return c.body(null, 204)
  })
}

const keyId = inPath('id', 'The id of a key', '3f9c2a71b0de')
const created = named('KeyCreated', keyCreated)
const ci = { name: 'ci', scopes: ['publish:acme.tools.*'], expiresInDays: 90 }

const docs = describeRoutes('Keys', {
  createKey: {
    summary: 'Create a key',
    description: 'A key with the scope `approve` needs the name of a specialist.',
    access: { scope: 'admin' },
    body: json(named('NewKey', newKey), ci),
    responses: { 201: answer(created, 'The key. It is shown only in this response.') },
    fails: bodyFails,
  },
  listKeys: {
    summary: 'List keys',
    access: { scope: 'admin' },
    responses: { 200: answer(named('KeyList', keyList), 'All keys, without their secrets') },
  },
  rotateKey: {
    summary: 'Give a key a new secret',
    description: 'The old secret stops working immediately.',
    access: { scope: 'admin' },
    parameters: [keyId],
    responses: { 200: answer(created, 'The key. It is shown only in this response.') },
    fails: [404],
  },
  revokeKey: {
    summary: 'Revoke a key',
    description: 'For good. The last admin key cannot be revoked.',
    access: { scope: 'admin' },
    parameters: [keyId],
    responses: { 204: { description: 'The key is revoked' } },
    fails: [404, 409],
  },
})
