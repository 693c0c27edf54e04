import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { startForwardProxy } from '../../test/forward-proxy.ts'
import { hookedProject, linkTo } from '../../test/hook-place.ts'

const stops: (() => void)[] = []
afterEach(() => stops.splice(0).forEach((stop) => stop()))

/** A registry that is broken in some way; it remembers the events that it was sent. */
async function brokenRegistry(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function deadAddress() {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return `http://127.0.0.1:${port}/`
}

const placeholder = { file_path: 'src/a.test.ts', content: 'expect(true).toBe(true)\n' }
const script = { file_path: 'workspace/a.js', content: '' }
const allow = JSON.stringify({ version: 1, onUnreachable: 'allow' })

describe('a registry that cannot be asked', () => {
  it.each<[string, RequestListener]>([
    ['answers 500', (_, response) => response.writeHead(500).end('{"error":"internal_error","message":"x"}')],
    [
      'answers 502 with HTML',
      (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>'),
    ],
    ['answers 200 with HTML', (_, response) => response.end('<html>approved</html>')],
    ['answers half a JSON', (_, response) => response.end('{"approved": tr')],
    [
      'breaks off',
      (_, response) =>
        void response
          .writeHead(200, { 'content-length': 100 })
          .write('{"approved":true', () => response.destroy()),
    ],
    [
      'breaks off within a chunk',
      ({ socket }) =>
        void socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n20\r\n{"approved":true}\r\n'),
    ],
    [
      'breaks off before the last chunk',
      ({ socket }) =>
        void socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n11\r\n{"approved":true}\r\n'),
    ],
    [
      'answers with an encoding that was not requested',
      (_, response) => response.writeHead(200, { 'content-encoding': 'br' }).end('{"approved":true}'),
    ],
    [
      'answers with another length',
      ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 18\r\n\r\n{"approved":true}'),
    ],
    ['answers with another JSON', (_, response) => response.end('{"ok":true}')],
    ['answers "true"', (_, response) => response.end('true')],
    ['answers approved as a text', (_, response) => response.end('{"approved":"true"}')],
    [
      'answers more than an answer is',
      (_, response) => response.end(`{"approved":true${' '.repeat(1024 * 1024)}}`),
    ],
    ['redirects', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['hangs up', (request) => request.socket.destroy()],
    ['never answers', () => undefined],
    ['sends drop by drop', (_, response) => void response.write(' ')],
  ])('that %s: what needs approval is blocked, and it says so', async (_how, listener) => {
    const project = hookedProject()
    const link = linkTo(await brokenRegistry(listener), 'key', 300)
    const reply = await project.call('Write', placeholder, { link })
    expect(reply.exitCode).toBe(2)
    expect(reply.stderr).toMatch(/^BLOCKED::TEST_PLACEHOLDER\nSAVED::.*\nACTION::/)
    expect(reply.stderr).toContain('It needs approval, and nobody can be asked: Cannot ask the registry')
    expect(reply.stderr).toContain('pml hooks doctor')
  })

  it('lets local rules decide', async () => {
    const project = hookedProject()
    const link = linkTo(await deadAddress(), 'key')
    expect((await project.call('Write', script, { link })).stderr).toMatch(
      /^BLOCKED::EXECUTABLE_IN_WORKSPACE\n/,
    )
    expect(await project.call('Write', { file_path: 'a.md', content: 'x' }, { link })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    })
  })

  it('lets what needs approval pass only by an operator’s explicit choice, which is recorded', async () => {
    const project = hookedProject()
    project.write('.pml/enforcement.json', allow)
    const link = linkTo(await deadAddress(), 'key')
    expect((await project.call('Write', placeholder, { link })).exitCode).toBe(0)
    const [event] = waiting(project.cache)
    expect(event).toMatchObject({
      action: 'unreachable',
      rule: 'TEST_PLACEHOLDER',
      session: 'session-1',
      agent: 'claude',
    })
  })

  it('lets it pass only where every workspace that the call is in has made that choice', async () => {
    const [project, other] = [hookedProject(), hookedProject()]
    project.write('.pml/enforcement.json', allow)
    const over = { link: linkTo(await deadAddress(), 'key'), folders: [other.root] }
    expect((await project.call('Write', placeholder, over)).exitCode).toBe(2)
    other.write('.pml/enforcement.json', allow)
    expect((await project.call('Write', placeholder, over)).exitCode).toBe(0)
  })

  it('is no outage where the key is refused, or none was set: that choice does not count', async () => {
    const project = hookedProject()
    project.write('.pml/enforcement.json', allow)
    const refuse = await brokenRegistry((_, response) =>
      response.writeHead(401).end('{"error":"unauthorized","message":"Cannot do this without a key"}'),
    )
    expect((await project.call('Write', placeholder, { link: linkTo(refuse, 'key') })).exitCode).toBe(2)
    expect((await project.call('Write', placeholder, { link: undefined })).exitCode).toBe(2)
  })
})

function waiting(cache: string): Record<string, unknown>[] {
  const folder = join(cache, 'hooks', 'queue')
  if (!existsSync(folder)) return []
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
  return names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>)
}

interface Told {
  readonly id: string
  readonly subject: string
}

/** A registry that takes events, and each of them once. */
async function hearingRegistry(isUp: () => boolean) {
  const heard: Told[] = []
  const url = await brokenRegistry((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      if (!isUp()) return response.writeHead(503).end('{}')
      const { events } = JSON.parse(Buffer.concat(parts).toString()) as { events: Told[] }
      heard.push(...events)
      return response.end('{"accepted":1,"known":0}')
    })
  })
  return { heard, url }
}

describe('a registry behind a proxy of its own', () => {
  it.each<[string, RequestListener]>([
    ['that speaks no HTTP/1.0', ({ httpVersion }, response) => answerIf(response, httpVersion === '1.1')],
    [
      'that wants connections to be closed',
      ({ headers }, response) => answerIf(response, headers.connection === 'close'),
    ],
    [
      'that answers in chunks',
      (_, response) => {
        response.write('{"appr')
        response.end('oved":true}')
      },
    ],
    [
      'that sends hints first',
      (_, response) => {
        response.writeEarlyHints({ link: '</a>; rel=preload' })
        response.end('{"approved":true}')
      },
    ],
  ])('%s is understood', async (_, listener) => {
    const project = hookedProject()
    const link = linkTo(await brokenRegistry(listener), 'key')
    expect(await project.call('Write', placeholder, { link })).toMatchObject({ exitCode: 0, stderr: '' })
  })

  function answerIf(response: ServerResponse, isGood: boolean): void {
    response.writeHead(isGood ? 200 : 426).end('{"approved":true}')
  }
})

describe('a registry over https', () => {
  const file = (name: string) => fileURLToPath(new URL(`../../test/tls/${name}`, import.meta.url))

  it('is asked, and only where its certificate is good', async () => {
    const project = hookedProject()
    const options = { key: readFileSync(file('key.pem')), cert: readFileSync(file('cert.pem')) }
    const server = createSecureServer(options, (request, response) => {
      request
        .resume()
        .on('end', () => response.end(`{"approved":${request.url === '/base/hooks/approvals'}}`))
    })
    await new Promise<void>((done) => server.listen(0, 'localhost', done))
    const { port } = server.address() as AddressInfo
    const run = (host: string, more: Record<string, string> = {}) =>
      project.run(project.event('Write', placeholder), {
        env: { PML_REGISTRY_URL: `https://${host}:${port}/base`, PML_API_KEY: 'key', ...more },
      })
    expect(await run('localhost', { NODE_EXTRA_CA_CERTS: file('cert.pem') })).toMatchObject({
      code: 0,
      stderr: '',
    })
    const strange = await run('localhost')
    expect(strange.code).toBe(2)
    expect(strange.stderr).toContain('Cannot ask the registry: DEPTH_ZERO_SELF_SIGNED_CERT')
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })

  it('is asked through the proxy that the environment names', async () => {
    const project = hookedProject()
    const options = { key: readFileSync(file('key.pem')), cert: readFileSync(file('cert.pem')) }
    const server = createSecureServer(options, (request, response) => {
      request
        .resume()
        .on('end', () => response.end(`{"approved":${request.headers.authorization === 'Bearer key'}}`))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const proxy = await startForwardProxy({ 'registry.example:443': `https://127.0.0.1:${port}` })
    const run = (more: Record<string, string>) =>
      project.run(project.event('Write', placeholder), {
        env: {
          PML_REGISTRY_URL: 'https://registry.example',
          PML_API_KEY: 'key',
          NODE_EXTRA_CA_CERTS: file('cert.pem'),
          ...more,
        },
      })
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY'])
      expect(await run({ [name]: proxy.url })).toMatchObject({ code: 0, stderr: '' })
    expect(proxy.targets).toEqual(Array.from({ length: 3 }, () => 'registry.example:443'))
    expect(proxy.users).toEqual([undefined, undefined, undefined])
    await run({ HTTPS_PROXY: proxy.url.replace('//', '//me:p%40ss@') })
    expect(proxy.users.at(-1)).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
    const seen = proxy.targets.length
    for (const list of ['registry.example', '.example', '*', 'other.example, *.example:443'])
      expect(await run({ HTTPS_PROXY: proxy.url, NO_PROXY: list })).toMatchObject({ code: 2 })
    expect(proxy.targets).toHaveLength(seen)
    const refused = await run({ HTTPS_PROXY: proxy.url, PML_REGISTRY_URL: 'https://other.example' })
    expect(refused.stderr).toContain('Cannot ask the registry: the proxy answered 403')
    const odd = await run({ HTTPS_PROXY: 'socks5://secret@127.0.0.1:1' })
    expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining('expected an http address') })
    expect(odd.stderr).not.toContain('secret')
    await proxy.stop()
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })

  it('is never asked in the clear with a key, unless it is on this machine', async () => {
    const project = hookedProject()
    const env = { PML_REGISTRY_URL: 'http://registry.example.com', PML_API_KEY: 'key' }
    const { code, stderr } = await project.run(project.event('Write', placeholder), { env })
    expect(code).toBe(2)
    expect(stderr).toContain('expected an https address')
  })

  it('is not asked with a key that would be more than a word', async () => {
    const project = hookedProject()
    const env = { PML_REGISTRY_URL: 'http://127.0.0.1:1', PML_API_KEY: 'key\r\nX-Admin: 1' }
    const { code, stderr } = await project.run(project.event('Write', placeholder), { env })
    expect(code).toBe(2)
    expect(stderr).toContain('Cannot read PML_API_KEY: expected one word of printable ASCII')
  })
})

describe('events that could not be sent', () => {
  it('wait on disk and are delivered later, in order, once', async () => {
    const project = hookedProject()
    let isUp = false
    let now = Date.now()
    const { heard, url } = await hearingRegistry(() => isUp)
    const over = { link: linkTo(url, 'key'), now: () => now }
    for (const name of ['a', 'b', 'c'])
      await project.call('Write', { file_path: `workspace/${name}.js`, content: '' }, over)
    expect(heard).toEqual([])
    expect(waiting(project.cache).map(({ subject }) => subject)).toEqual([
      'workspace/a.js',
      'workspace/b.js',
      'workspace/c.js',
    ])
    isUp = true
    now += 60_000
    await project.call('Write', { file_path: 'workspace/d.js', content: '' }, over)
    expect(heard.map(({ subject }) => subject)).toEqual([
      'workspace/a.js',
      'workspace/b.js',
      'workspace/c.js',
      'workspace/d.js',
    ])
    expect(new Set(heard.map(({ id }) => id)).size).toBe(4)
    expect(waiting(project.cache)).toEqual([])
  })

  it('hide what looks like a secret in a command', async () => {
    const project = hookedProject()
    const link = linkTo(await deadAddress(), 'key')
    const command =
      'curl -H "Authorization: Bearer sk-abcdefghijklmnop1234" --token hunter2 -o workspace/a.js https://x.example.com'
    await project.call('Bash', { command }, { link })
    await project.call('Bash', { command: `cd workspace && ${command}` }, { link })
    const told = JSON.stringify(waiting(project.cache))
    expect(told).toContain('--token (hidden)')
    expect(told).not.toMatch(/hunter2|abcdefghijklmnop/)
  })

  it('do not make every call wait for a registry that is not there', async () => {
    const project = hookedProject()
    let asked = 0
    const url = await brokenRegistry((request) => {
      asked++
      request.socket.destroy()
    })
    const over = { link: linkTo(url, 'key') }
    for (const name of ['a', 'b', 'c'])
      await project.call('Write', { file_path: `workspace/${name}.js`, content: '' }, over)
    expect(asked).toBe(1)
    expect(waiting(project.cache)).toHaveLength(3)
  })

  it('do not keep a call waiting for a registry that takes its time', async () => {
    const project = hookedProject()
    let asked = 0
    const url = await brokenRegistry(() => {
      asked++
    })
    const over = { link: linkTo(url, 'key', 20_000) }
    const started = performance.now()
    for (const name of ['a', 'b'])
      expect(
        (await project.call('Write', { file_path: `workspace/${name}.js`, content: '' }, over)).exitCode,
      ).toBe(2)
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(asked).toBe(1)
    expect(waiting(project.cache)).toHaveLength(2)
  })

  it('are not held up by one that the registry does not take, nor by one that is damaged', async () => {
    const project = hookedProject()
    const refusing = await brokenRegistry((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        const text = Buffer.concat(parts).toString()
        return text.includes('workspace/b.js')
          ? response.writeHead(422).end('{"error":"invalid_body","message":"b"}')
          : response.end('{"accepted":1,"known":0}')
      })
    })
    let now = Date.now()
    const dead = { link: linkTo(await deadAddress(), 'key'), now: () => now }
    for (const name of ['a', 'b', 'c'])
      await project.call('Write', { file_path: `workspace/${name}.js`, content: '' }, dead)
    now += 60_000
    await project.call(
      'Write',
      { file_path: 'workspace/d.js', content: '' },
      { ...dead, link: linkTo(refusing, 'key') },
    )
    expect(waiting(project.cache)).toEqual([])
    const left = readdirSync(join(project.cache, 'hooks', 'queue')).filter((name) => name.endsWith('.bad'))
    expect(left).toHaveLength(1)
  })

  it('hold up a call for a while only, however slow the registry and however many there are', async () => {
    const project = hookedProject()
    const queue = join(project.cache, 'hooks', 'queue')
    mkdirSync(queue, { recursive: true })
    for (let number = 1; number <= 500; number++)
      writeFileSync(join(queue, `${String(number).padStart(9, '0')}.json`), '{}')
    let asked = 0
    // The first batches are taken; then there is no answer any more.
    const link = { post: () => (++asked <= 2 ? Promise.resolve({}) : new Promise<never>(() => undefined)) }
    const reply = await project.call('Write', { file_path: 'src/a.ts', content: '' }, { link })
    expect(reply.exitCode).toBe(0)
    expect(waiting(project.cache)).toHaveLength(300)
  })

  it('do not block what passes when the queue cannot be written to', async () => {
    const project = hookedProject()
    const queue = join(project.cache, 'hooks', 'queue')
    mkdirSync(join(queue, 'unreachable'), { recursive: true })
    writeFileSync(join(queue, '000000001.json'), '{}')
    const reply = await project.call(
      'Write',
      { file_path: 'src/a.ts', content: '' },
      { link: linkTo(await deadAddress(), 'key'), now: () => Date.now() + 60_000 },
    )
    expect(reply.exitCode).toBe(0)
  })

  it('come from many hooks at once, and none takes the place of another', async () => {
    const project = hookedProject()
    const over = { link: linkTo(await deadAddress(), 'key') }
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        project.call('Write', { file_path: `workspace/${index}.js`, content: '' }, over),
      ),
    )
    expect(new Set(waiting(project.cache).map(({ subject }) => subject)).size).toBe(40)
    rmSync(project.cache, { recursive: true })
  })

  it('come from many processes at once, and none takes the place of another', async () => {
    const project = hookedProject()
    const env = { PML_REGISTRY_URL: await deadAddress(), PML_API_KEY: 'key' }
    await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        project.run(project.event('Write', { file_path: `workspace/${index}.js`, content: '' }), { env }),
      ),
    )
    expect(new Set(waiting(project.cache).map(({ subject }) => subject)).size).toBe(16)
  })

  it('are told with names that a registry takes, whatever the agent calls itself', async () => {
    const project = hookedProject()
    const bodies: Record<string, unknown>[] = []
    const url = await brokenRegistry((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        bodies.push(JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>)
        return response.end('{"approved":true}')
      })
    })
    const env = { PML_REGISTRY_URL: url, PML_API_KEY: 'key' }
    const odd = `\0\ud800${'s'.repeat(300)}`
    const call = (input: object) =>
      project.run({ ...project.event('Write', input), session_id: odd }, { env })
    expect(await call(placeholder)).toMatchObject({ code: 0 })
    expect(await call(script)).toMatchObject({ code: 2 })
    const session = `\u{fffd}\u{fffd}${'s'.repeat(198)}`
    expect(bodies).toMatchObject([{ session, tool: 'Write' }, { events: [{ session }] }])
  })
})
