import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chown, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { send } from './approvals.ts'
import { createDatabase } from './database.ts'
import { rootDir } from './paths.ts'
import { spawnServer, startServer, type ServerProcess } from './server-process.ts'

const isRoot = process.getuid?.() === 0

let dataDir: string
let running: ServerProcess[]

/** mkdtemp creates a directory that only its owner may enter, which a database under another user must handle. */
beforeEach(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'pml-process-')), 'data')
  running = []
})
afterEach(async () => {
  for (const server of running) if (server.child.exitCode === null) server.child.kill('SIGKILL')
  await Promise.all(running.map(({ exited }) => exited))
  await expect.poll(isPostgresRunning, { timeout: 20_000 }).toBe(false)
  await rm(join(dataDir, '..'), { recursive: true, force: true })
})

async function start(env: Record<string, string> = {}, prefix: string[] = []): Promise<ServerProcess> {
  const server = await startServer({ PML_DATA_DIR: dataDir, ...env }, prefix)
  running.push(server)
  return server
}

function postgresPid(): number | undefined {
  try {
    return (
      Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]) || undefined
    )
  } catch {
    return undefined
  }
}

/** A killed process leaves its file behind. */
function isPostgresRunning(): boolean {
  try {
    return process.kill(postgresPid() ?? Number.NaN, 0)
  } catch {
    return false
  }
}

/** A process that stopped cleanly has removed its file. */
async function postgresGone(): Promise<void> {
  await expect.poll(postgresPid, { timeout: 10_000 }).toBeUndefined()
}

async function adminKey(): Promise<Record<string, string>> {
  return { Authorization: `Bearer ${(await readFile(join(dataDir, 'admin-key'), 'utf8')).trim()}` }
}

const put = (url: string, name: string, code: string, headers: Record<string, string>) =>
  fetch(`${url}/mcp/${name}`, {
    method: 'PUT',
    body: code,
    headers: { 'Content-Type': 'application/typescript', ...headers },
  })

describe('the server process', () => {
  it('starts on an empty directory, prints its address, creates one admin key and serves', async () => {
    const server = await start()
    const created = server.lines.map((line) => JSON.parse(line)).filter(({ key }) => key)
    expect(created).toHaveLength(1)
    const listening = server.lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'listening')
    expect(listening).toMatchObject({
      level: 'info',
      msg: 'listening',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    })
    const file = join(dataDir, 'admin-key')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await readFile(file, 'utf8')).trim()).toBe(created[0].key)
    expect((await stat(join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600)
    const response = await fetch(`${server.url}/mcp/pml.std.filesystem.read_file`)
    expect([response.status, response.redirected]).toEqual([200, true])
    expect((await fetch(`${server.url}/keys`, { headers: await adminKey() })).status).toBe(200)

    expect(await server.stop()).toBe(0)
    await postgresGone()
    const again = await start()
    expect(again.lines.join('\n')).not.toContain('admin key')
    expect((await fetch(`${again.url}/keys`, { headers: await adminKey() })).status).toBe(200)
  })

  it.runIf(isRoot)('runs its database as another user if it is root', async () => {
    await start()
    expect((await stat(join(dataDir, 'postgres'))).uid).not.toBe(0)
  })

  it('runs its database as the same user if it is not root', async () => {
    const uid = isRoot ? 65_534 : process.getuid?.()
    if (isRoot) await mkdir(dataDir).then(() => chown(dataDir, 65_534, 65_534))
    // The clone may be in a directory of root; this user may only traverse directories.
    const through = [
      '--securebits=+no_setuid_fixup',
      '--inh-caps=+dac_read_search',
      '--ambient-caps=+dac_read_search',
    ]
    const prefix = isRoot
      ? ['setpriv', `--reuid=${uid}`, '--regid=65534', '--clear-groups', ...through, '--']
      : []
    const server = await start({}, prefix)
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(uid)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  })

  it('refuses a directory that another process holds, names it, and takes over after a crash', async () => {
    const first = await start()
    const second = spawnServer({ PML_DATA_DIR: dataDir })
    expect(await second.exited).toBe(1)
    expect(second.lines.join('\n')).toContain(`process ${first.pid} holds it`)
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
    first.child.kill('SIGKILL')
    await first.exited
    const third = await start()
    expect((await fetch(`${third.url}/readyz`)).status).toBe(200)
  })

  it('lists everything that is wrong with the environment and exits 2', async () => {
    const { exited, lines } = spawnServer({
      PML_DATA_DIR: dataDir,
      PORT: 'http',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://x',
      PML_ADMIN_KEY: 'secret',
      PML_PUBLIC_URL: 'ftp://x',
    })
    expect(await exited).toBe(2)
    const text = lines.join('\n')
    for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL', 'PML_ADMIN_KEY', 'PML_PUBLIC_URL'])
      expect(text).toContain(name)
    expect(text).not.toContain('secret"')
  })

  it('names the port in use and exits 1 with its database stopped', async () => {
    const first = await start()
    const { exited, lines } = spawnServer({ PML_DATA_DIR: `${dataDir}-2`, PORT: new URL(first.url).port })
    expect(await exited).toBe(1)
    expect(lines.join('\n')).toContain('it is in use')
    expect(() => readFileSync(join(`${dataDir}-2`, 'postgres', 'postmaster.pid'))).toThrow('ENOENT')
  })

  it.each([
    ['postgres://pml:hidden@127.0.0.1:1/pml', 'Cannot reach the database pml at 127.0.0.1:1'],
    [
      'postgres://pml:hidden@no-such-host.invalid/pml',
      'Cannot reach the database pml at no-such-host.invalid',
    ],
  ])('says so when %s cannot be reached, without the password, and exits 1', async (url, message) => {
    const { exited, lines } = spawnServer({ PML_DATA_DIR: dataDir, DATABASE_URL: url })
    expect(await exited).toBe(1)
    expect(lines.join('\n')).toContain(message)
    expect(lines.join('\n')).not.toContain('hidden')
  })

  it('uses DATABASE_URL and PML_ADMIN_KEY if they are set', async () => {
    const key = 'pml_ops_0123456789abcdef0123456789abcdef'
    const env = { DATABASE_URL: await createDatabase({ template: 'template0' }), PML_ADMIN_KEY: key }
    const server = await start(env)
    expect((await fetch(`${server.url}/keys`, { headers: { Authorization: `Bearer ${key}` } })).status).toBe(
      200,
    )
    expect(server.lines.join('\n')).not.toContain(key)
    await expect(stat(join(dataDir, 'postgres'))).rejects.toThrow('ENOENT')
    const second = await start(env)
    await put(server.url, 'acme.two.servers.see', 'export default 1\n', { Authorization: `Bearer ${key}` })
    await expect
      .poll(async () => (await fetch(`${second.url}/mcp/acme.two.servers.see`)).status, {
        timeout: 1000,
        interval: 10,
      })
      .toBe(200)
  })

  it('loses no confirmed write when it is killed', async () => {
    const server = await start()
    const headers = await adminKey()
    const confirmed: string[] = []
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let index = 0; ; index++) {
        const name = `acme.killed.w${writer}.n${index}`
        const response = await put(server.url, name, `export default ${index}\n`, headers).catch(
          () => undefined,
        )
        if (response?.status !== 201) return
        confirmed.push(name)
        if (confirmed.length === 60) server.child.kill('SIGKILL')
      }
    })
    await Promise.all(writers)
    expect(confirmed.length).toBeGreaterThanOrEqual(60)
    const again = await start()
    const found = await Promise.all(
      confirmed.map(async (name) => (await fetch(`${again.url}/mcp/${name}`)).status),
    )
    expect(found.every((status) => status === 200)).toBe(true)
  })

  it('finishes every request in flight on SIGTERM, reads and writes', async () => {
    const server = await start()
    const headers = await adminKey()
    const { url } = await fetch(`${server.url}/mcp/pml.std.filesystem.read_file`)
    /** The outcomes of requests sent before and after the signal. */
    const outcomes = { before: new Set<string>(), after: new Set<string>() }
    let answered = 0
    let isStopping = false
    const send = (client: number) =>
      client < 4
        ? put(server.url, `acme.term.w${client}.n${answered}`, 'export default 1\n', headers)
        : fetch(url)
    const clients = Array.from({ length: 32 }, async (_, client) => {
      for (;;) {
        const when = isStopping ? 'after' : 'before'
        const outcome = await send(client).then(
          async (response) => `${response.status}${(await response.text()).length > 0 ? '' : ' empty'}`,
          (error: Error & { cause?: { code?: string } }) => error.cause?.code ?? 'unknown',
        )
        outcomes[when].add(outcome)
        if (!/^20[01]$/.test(outcome)) return
        if (++answered !== 500) continue
        isStopping = true
        server.child.kill('SIGTERM')
      }
    })
    await Promise.all(clients)
    expect(await server.exited).toBe(0)
    expect(answered).toBeGreaterThanOrEqual(500)
    expect(outcomes.before).toEqual(new Set(['200', '201']))
    // A kept-alive connection may close while the next request is in transit; that request was not processed.
    const refused = ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET']
    expect(
      [...outcomes.after].filter((outcome) => !/^20[01]$/.test(outcome) && !refused.includes(outcome)),
    ).toEqual([])
  })

  it('stops with npm if npm started it', async () => {
    const npm = spawn('npm', ['start'], {
      cwd: rootDir,
      env: { ...process.env, PORT: '0', PML_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const lines = createInterface(npm.stdout)
    for await (const line of lines) if (line.includes('"listening"')) break
    npm.kill('SIGTERM')
    await postgresGone()
    await expect
      .poll(() =>
        stat(join(dataDir, 'server.lock')).then(
          () => 'held',
          () => 'free',
        ),
      )
      .toBe('free')
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'finishes requests in flight when %s reaches every process of the group twice',
    async (signal) => {
      const npm = spawn('npm', ['start'], {
        cwd: rootDir,
        env: { ...process.env, PORT: '0', PML_DATA_DIR: dataDir },
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      })
      const group = -(npm.pid ?? Number.NaN)
      let url = ''
      const lines: string[] = []
      const reader = createInterface(npm.stdout)
      for await (const line of reader) {
        lines.push(line)
        if (!line.includes('"listening"')) continue
        url = JSON.parse(line).url
        break
      }
      const { hostname, port } = new URL(url)
      const { Authorization } = await adminKey()
      const body = 'export default 1\n'
      const socket = connectSocket(Number(port), hostname)
      const head = `PUT /mcp/acme.slow.put.one HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${Authorization}\r\nContent-Type: application/typescript\r\nContent-Length: ${body.length}\r\n\r\n`
      socket.write(head + body.slice(0, 5))
      const answered = new Promise<string>((done) => {
        let text = ''
        socket.on('data', (chunk) => (text += String(chunk)))
        socket.on('close', () => done(text))
        socket.on('error', () => done(text))
      })
      await new Promise((done) => setTimeout(done, 300))
      process.kill(group, signal)
      process.kill(group, signal)
      // Longer than start.mjs needs to notice that its parent has exited.
      await new Promise((done) => setTimeout(done, 800))
      socket.write(body.slice(5))
      expect(await answered).toMatch(/^HTTP\/1\.1 201 /)
      await postgresGone()
    },
  )

  it('stops immediately on a second, later signal', async () => {
    const server = await start()
    const { hostname, port } = new URL(server.url)
    const { Authorization } = await adminKey()
    const socket = connectSocket(Number(port), hostname)
    socket.on('error', () => {})
    socket.write(
      `PUT /mcp/acme.slow.put.two HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${Authorization}\r\nContent-Length: 9\r\n\r\nx`,
    )
    // A partial body is a request in flight, which would delay the stop without the second signal.
    await expect
      .poll(async () => /^pml_body_bytes 1$/m.test(await (await fetch(`${server.url}/metrics`)).text()))
      .toBe(true)
    server.child.kill('SIGTERM')
    await expect.poll(() => server.lines.some((line) => line.includes('"stopping"'))).toBe(true)
    server.child.kill('SIGTERM')
    await new Promise((done) => setTimeout(done, 1200))
    expect(server.child.exitCode).toBeNull()
    server.child.kill('SIGTERM')
    expect(await server.exited).toBe(1)
  })

  it('returns a JSON error for input that is not HTTP and for too many headers', async () => {
    const server = await start()
    expect(await raw(server.url, 'GARBAGE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [^]*"error":"bad_request"/)
    const flood = `GET /mcp HTTP/1.1\r\nHost: x\r\n${Array.from({ length: 2000 }, (_, index) => `X-${index}: ${'v'.repeat(20)}\r\n`).join('')}\r\n`
    expect(await raw(server.url, flood)).toMatch(/^HTTP\/1\.1 431 [^]*"error":"headers_too_large"/)
    const many = (count: number) =>
      `GET /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'a:b\r\n'.repeat(count)}\r\n`
    expect(await raw(server.url, many(900))).toMatch(/^HTTP\/1\.1 200 /)
    for (const count of [1000, 2500])
      expect(await raw(server.url, many(count))).toMatch(/^HTTP\/1\.1 431 [^]*"error":"headers_too_large"/)
  })
})

describe('without its database, the server', () => {
  it('returns 503 if the database hangs', async () => {
    const server = await start()
    const pid = postgresPid() ?? 0
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
    const postgres = [pid, ...children]
    for (const member of postgres) process.kill(member, 'SIGSTOP')
    const [cold, readyz] = await Promise.all([
      fetch(`${server.url}/mcp/acme.unknown.so.asked`),
      fetch(`${server.url}/readyz`),
    ]).finally(() => postgres.forEach((member) => process.kill(member, 'SIGCONT')))
    expect([cold.status, cold.headers.get('retry-after'), readyz.status]).toEqual([503, '2', 503])
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status, { timeout: 20_000 }).toBe(200)
  })

  it('serves entries in memory, returns 503 for the rest, and recovers', async () => {
    const server = await start()
    const headers = await adminKey()
    const { url: cached } = await fetch(`${server.url}/mcp/pml.std.filesystem.read_file`)
    const load = { stop: false, statuses: new Map<number, number>() }
    const clients = Array.from({ length: 8 }, async () => {
      while (!load.stop) {
        const { status } = await fetch(cached)
        load.statuses.set(status, (load.statuses.get(status) ?? 0) + 1)
      }
    })
    const pid = postgresPid()
    if (pid === undefined) throw new Error('no postgres')
    process.kill(pid, 'SIGSTOP')
    process.kill(pid, 'SIGKILL')
    const refused = await expect
      .poll(
        async () => {
          const response = await fetch(`${server.url}/mcp/acme.unknown.so.asked`)
          return `${response.status} ${response.headers.get('retry-after')} ${((await response.json().catch(() => ({}))) as { error?: string }).error}`
        },
        { timeout: 5000, interval: 5 },
      )
      .toBe('503 2 unavailable')
      .then(
        () => true,
        () => false,
      )
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status, { timeout: 20_000 }).toBe(200)
    await expect
      .poll(
        async () => (await put(server.url, 'acme.after.the.fall', 'export default 1\n', headers)).status,
        { timeout: 10_000 },
      )
      .toBeLessThan(300)
    load.stop = true
    await Promise.all(clients)
    expect([...load.statuses.keys()]).toEqual([200])
    expect(refused).toBe(true)
  })

  it('keeps running under many writes', async () => {
    const server = await start()
    const key = (await adminKey())['Authorization']?.slice('Bearer '.length) ?? ''
    for (let round = 0; round < 3; round++) {
      const load = { stop: false, blocked: 0 }
      const writers = Array.from({ length: 6 }, async (_, writer) => {
        for (let index = 0; !load.stop; index++) {
          const content = `round ${round} of ${writer}: ${index}`
          const body = { tool: 'Write', path: 'a.ts', content }
          const { status } = await send(`${server.url}/approvals/changes`, key, { body })
          if (status === 201) load.blocked += 1
        }
      })
      await expect.poll(() => load.blocked, { timeout: 20_000 }).toBeGreaterThan(20)
      const pid = postgresPid()
      if (pid === undefined) throw new Error('no postgres')
      process.kill(pid, 'SIGKILL')
      // A connection to the killed database may still work for a moment; readiness means that a new one runs.
      await expect
        .poll(
          async () => {
            const { status } = await fetch(`${server.url}/readyz`)
            return postgresPid() === pid ? 'not started again' : status
          },
          { timeout: 20_000 },
        )
        .toBe(200)
      load.stop = true
      await Promise.all(writers)
    }
    expect(server.child.exitCode).toBeNull()
  })

  it('loses no approval, use or event when the database is killed and when the server restarts', async () => {
    const first = await start()
    const admin = (await adminKey())['Authorization']?.slice('Bearer '.length) ?? ''
    const ask = (url: string, key: string, path: string, body?: unknown) =>
      send(`${url}${path}`, key, body === undefined ? { method: 'GET' } : { body })
    const keyOf = async (request: object) =>
      String((await ask(first.url, admin, '/keys', { name: 'x', ...request })).body['key'])
    const hook = await keyOf({ scopes: ['hook'] })
    const guard = await keyOf({ scopes: ['approve'], specialist: 'guard' })
    const approve = async (content: string) => {
      const request = { tool: 'Write', path: 'a.ts', content }
      const { id } = (await ask(first.url, hook, '/approvals/changes', request)).body
      await ask(first.url, guard, `/approvals/changes/${id}/approve`, { reason: 'fine', ttlSeconds: 3600 })
    }
    const spend = async (url: string, content: string) =>
      (await ask(url, hook, '/approvals/spend', { path: 'a.ts', content })).status
    for (const content of ['one', 'two', 'three']) await approve(content)
    expect(await spend(first.url, 'one')).toBe(200)
    const pid = postgresPid()
    if (pid === undefined) throw new Error('no postgres')
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => spend(first.url, 'two'), { timeout: 20_000 }).toBe(200)
    // Other connections of the pool may fail only now.
    await expect.poll(() => spend(first.url, 'one'), { timeout: 20_000 }).toBe(409)
    expect(await first.stop()).toBe(0)
    const second = await start()
    expect(await spend(second.url, 'two')).toBe(409)
    expect(await spend(second.url, 'three')).toBe(200)
    const verified = await ask(second.url, guard, '/tools/audit_verify', {})
    expect(verified.body).toMatchObject({ ok: true })
    const { body } = await ask(second.url, guard, '/audit?action=change.spend')
    expect(body['events']).toHaveLength(3)
  })
})

/** Sends raw bytes and returns everything until the server closes. */
function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((done, fail) => {
    const chunks: Buffer[] = []
    const socket = connectSocket(Number(port), hostname, () => socket.write(text))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', () => done(Buffer.concat(chunks).toString()))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      chunks.length > 0 && error.code === 'ECONNRESET' ? undefined : fail(error),
    )
  })
}
