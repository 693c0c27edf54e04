import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { localServerName } from '@pml/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeDocument } from '../../test/fake-registry.ts'
import { startPeer, type Peer } from '../../test/peer.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'
import { openClient } from '../calls/open-client.ts'
import { processOps } from '../machine/ops.ts'
import { checkListing, type keepApproved } from './listing/check-listing.ts'
import { listingOf } from './listing/server-listing.ts'

type Checked = Awaited<ReturnType<typeof keepApproved>>

const name = localServerName('files')
const document = {
  type: 'stdio',
  install: { command: 'node', args: [], envRequired: [] },
  tools: ['files:read'],
} as const
/** What nobody should have: a release of a name that is of this machine. */
const foreign = fakeDocument(name, document)
/** A server of a registry that has the same word. */
const namesake = fakeDocument('pml.mcp.files.server', document)

let registry: Peer
let workspace: TestWorkspace
let locked: Checked

beforeEach(async () => {
  registry = await startPeer((response, { path = '' }) => {
    for (const release of [foreign, namesake]) {
      if (path === `/mcp/${release.name}`)
        return void response.writeHead(302, { location: `/mcp/${release.fqdn}` }).end()
      if (path === `/mcp/${release.fqdn}`)
        return void response.writeHead(200, release.headers).end(release.bytes)
    }
    if (path.startsWith('/mcp?'))
      return void response
        .writeHead(200)
        .end(JSON.stringify({ items: [{ fqdn: foreign.fqdn, type: 'stdio' }] }))
    response.writeHead(404).end('{"error":"not_found","message":"no"}')
  })
  workspace = await makeWorkspace(registry.url)
  await workspace.writeConfig({ permissions: { allow: ['files:*'] } })
  const ops = { ...processOps(), env: workspace.env, cacheHome: workspace.cacheDir }
  const client = await openClient(ops, { workspace: workspace.root, frozen: false })
  const launch = { kind: 'stdio', command: 'node', args: ['a.js'], env: {}, cwd: undefined } as const
  const tools = [{ name: 'read', inputSchema: { type: 'object' as const } }]
  const listing = listingOf({ launch }, { instructions: undefined, tools })
  locked = (await checkListing(client, 'files', {
    listing,
    operation: { kind: 'open-server', server: 'files' },
  })) as Checked
  await client.close()
})
afterEach(async () => {
  await workspace.remove()
  await registry.stop()
})

const file = () => join(workspace.root, '.pml', 'servers', 'files.json')

async function json(...argv: string[]) {
  const { exit, stdout, stderr } = await workspace.run([...argv, '--json'])
  return { exit, stderr, body: JSON.parse(stdout) as Record<string, unknown> }
}

describe('a locked local server', () => {
  it('is shown by what shows the lockfile', async () => {
    expect(await json('list')).toMatchObject({
      exit: 0,
      body: { entries: [{ fqdn: locked.fqdn, type: 'stdio', routing: 'client', rule: 'allow' }] },
    })
    expect(await json('lock', 'show')).toMatchObject({
      body: { entries: [{ fqdn: locked.fqdn, integrity: locked.integrity }] },
    })
    for (const word of ['files', name])
      expect(await json('lock', 'why', word)).toMatchObject({
        body: { fqdn: locked.fqdn, verdict: 'allow', rules: { allow: ['files:*'] } },
      })
    await writeFile(join(workspace.root, 'older.lock'), '{\n  "version": 1,\n  "entries": {}\n}\n')
    expect(await json('lock', 'diff', 'older.lock')).toMatchObject({
      body: { added: [{ fqdn: locked.fqdn }] },
    })
  })

  it('is never requested from a registry', async () => {
    expect(await json('sync')).toMatchObject({ exit: 0, body: { fetched: 0, cached: 0, added: [] } })
    expect(await json('outdated')).toMatchObject({ exit: 0, body: { outdated: [] } })
    expect(await json('update')).toMatchObject({ exit: 0, body: { approvals: [], retired: [] } })
    expect(await json('lock', 'verify')).toMatchObject({ exit: 0, body: { entries: 1, verified: 1 } })
    expect(registry.seen).toEqual([])
    expect(await json('update', 'files')).toMatchObject({
      exit: 2,
      body: { error: 'invalid_fqdn', message: expect.stringContaining('"pml mcp test files" starts it') },
    })
  })

  it('is verified by its listing', async () => {
    await writeFile(file(), (await readFile(file(), 'utf8')).replace('a.js', 'b.js'))
    const { exit, stderr } = await workspace.run(['lock', 'verify'])
    expect([exit, stderr]).toEqual([4, expect.stringContaining('is missing or is not sha256-')])
    expect(registry.seen).toEqual([])
  })

  it('goes with its listing, its rule and what was agreed to', async () => {
    expect(await json('remove', 'files')).toMatchObject({ exit: 0, body: { removed: [locked.fqdn] } })
    expect(await workspace.readLock()).not.toContain('local')
    await expect(stat(file())).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await readFile(join(workspace.root, '.pml.json'), 'utf8')).not.toContain('files:*')
    expect(await json('remove', 'files')).toMatchObject({ exit: 1, body: { error: 'not_found' } })
  })

  it('stays when no rule speaks of it: it would be locked anew as it is, and nobody would see the difference', async () => {
    await workspace.writeConfig({ permissions: { allow: ['other:*'] } })
    expect(await json('lock', 'clean')).toMatchObject({ body: { removed: [] } })
    expect(await workspace.readLock()).toContain(locked.fqdn)
    await stat(file())
  })

  it('is not mixed up with a server of the registry that has the same word', async () => {
    expect(await json('fetch', 'pml.mcp.files.server')).toMatchObject({ exit: 0, body: { lock: 'added' } })
    expect(await json('remove', 'files')).toMatchObject({
      exit: 2,
      body: { error: 'ambiguous_tool', candidates: [name, 'pml.mcp.files.server'] },
    })
    expect(await json('remove', name)).toMatchObject({ exit: 0, body: { removed: [locked.fqdn] } })
    expect(await workspace.readLock()).toContain('pml.mcp.files.server')
  })
})

describe('a registry that serves names of this machine', () => {
  it('is not believed, and not even asked', async () => {
    for (const argv of [
      ['fetch', name],
      ['fetch', foreign.fqdn],
      ['add', name],
    ])
      expect(await json(...argv)).toMatchObject({
        exit: 2,
        body: { error: 'invalid_fqdn', message: expect.stringContaining('are not in a registry') },
      })
    expect(registry.seen.filter(({ path }) => path?.includes('local'))).toEqual([])
    expect(await workspace.readLock()).toContain(locked.integrity)
  })

  it('cannot offer them for a rule or a tool either', async () => {
    expect((await json('remove', name)).exit).toBe(0)
    await workspace.writeConfig({ permissions: { allow: ['files:*', 'files:read'] } })
    expect(await json('sync')).toMatchObject({ exit: 0, body: { added: [] } })
    expect(await json('run', 'files:read')).toMatchObject({ exit: 1, body: { error: 'not_found' } })
    expect(await workspace.readLock()).not.toContain('local')
    expect(registry.seen.length).toBeGreaterThan(0)
  })
})
