import { randomUUID } from 'node:crypto'
import { createKey } from '../src/keys/create-key.ts'
import { admin, type TestRegistry } from './registry.ts'

export interface Caller {
  readonly id: string
  readonly key: string
  send(method: string, path: string, body?: unknown): Promise<{ status: number; body: Body }>
}

/** A response body, with the members that tests use. */
export interface Body extends Record<string, unknown> {
  readonly id: string
  readonly token: string
  readonly contentHash: string
  readonly error: string
  readonly message: string
}

/** Creates a key with these scopes through a new admin key. Requests are JSON over a real socket. */
export async function callerWith(
  { db, url }: Pick<TestRegistry, 'db' | 'url'>,
  scopes: readonly string[],
  specialist?: string,
): Promise<Caller> {
  const request = { name: 'test', scopes: [...scopes], specialist, expiresInDays: undefined }
  const maker = { ...admin, id: `maker-${randomUUID().slice(0, 8)}` }
  const { id, key } = await createKey(db, maker, async () => request)
  return { id, key, send: (method, path, body) => send(`${url}${path}`, key, { method, body }) }
}

export async function send(
  url: string,
  key: string | undefined,
  { method = 'POST', body }: { method?: string; body?: unknown },
): Promise<{ status: number; body: Body }> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body }
}

let count = 0

/** Returns unique content. */
export function newContent(): string {
  return `expect(run${++count}_${process.pid}()).rejects.toThrow('not configured')\n`
}

export interface ChangeOptions {
  readonly tool?: string
  readonly path?: string
  readonly content?: string
  readonly agent?: string
  readonly session?: string
}

/** Creates an open change. */
export async function block(hook: Caller, { tool, path, content, ...asker }: ChangeOptions = {}) {
  const { agent, session } = asker
  const change = {
    tool: tool ?? 'Write',
    path: path ?? 'src/app.ts',
    content: content ?? newContent(),
    ...(agent !== undefined && { agent }),
    ...(session !== undefined && { session }),
  }
  const { status, body } = await hook.send('POST', '/approvals/changes', change)
  return { ...change, status, id: body.id, contentHash: body.contentHash, body }
}

export async function approve(specialist: Caller, id: string, request: Record<string, unknown> = {}) {
  return specialist.send('POST', `/approvals/changes/${id}/approve`, { reason: 'It is precise', ...request })
}

export async function reject(specialist: Caller, id: string, request: Record<string, unknown> = {}) {
  const usual = { reason: 'It is empty', education: 'Say what the code should do' }
  return specialist.send('POST', `/approvals/changes/${id}/reject`, { ...usual, ...request })
}

export async function spend(hook: Caller, request: { content: string; path: string; token?: string }) {
  const { content, path, token } = request
  return hook.send('POST', '/approvals/spend', { content, path, ...(token !== undefined && { token }) })
}
