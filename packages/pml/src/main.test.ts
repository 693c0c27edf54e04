import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { json, startPeer, type Peer, type Reply } from '../test/peer.ts'
import { installPml, type InstalledPml, type Outcome, type RunOptions } from '../test/pml-process.ts'

const KEY = 'pml_abc_s3cr3t'
const create = ['memo', 'create', 'hi']

let pml: InstalledPml
beforeAll(async () => {
  pml = await installPml()
})
afterAll(() => pml.remove())

const peers: Peer[] = []
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.stop()))
})

async function peerThat(reply: Reply): Promise<Peer> {
  const peer = await startPeer(reply)
  peers.push(peer)
  return peer
}

function runAt(
  peer: Pick<Peer, 'url'>,
  argv: string[],
  { env, ...request }: RunOptions = {},
): Promise<Outcome> {
  return pml.run(argv, { ...request, env: { PML_REGISTRY_URL: peer.url, PML_API_KEY: KEY, ...env } })
}

describe('pml calls a tool of the registry', () => {
  it('with the arguments as JSON and the key, and prints exactly its answer', async () => {
    const registry = await peerThat(json(200, { text: 'ü\n', n: [1, { a: null }] }))
    const argv = ['memo', 'create', '--text', 'hi', '--no-deep', '--tags', 'a', '--limit', '-5', '--json']
    expect(await runAt(registry, argv)).toEqual({
      exit: 0,
      stdout: '{"text":"ü\\n","n":[1,{"a":null}]}\n',
      stderr: '',
    })
    expect(registry.seen).toMatchObject([
      {
        method: 'POST',
        path: '/tools/memo_create',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      },
    ])
    expect(JSON.parse(registry.seen[0]?.body ?? '')).toEqual({
      text: 'hi',
      deep: false,
      tags: ['a'],
      limit: -5,
    })
  })

  it('for a person in lines', async () => {
    const registry = await peerThat(json(200, { id: 7, text: 'a\nb\n' }))
    expect(await runAt(registry, create)).toEqual({ exit: 0, stdout: 'id  7\n\na\nb\n', stderr: '' })
  })

  it('without a key where there is none, and below the path of the address', async () => {
    const registry = await peerThat(json(200, {}))
    await runAt({ url: `${registry.url}/behind/proxy` }, create, { env: { PML_API_KEY: '' } })
    expect(registry.seen[0]?.path).toBe('/behind/proxy/tools/memo_create')
    expect(registry.seen[0]?.headers.authorization).toBeUndefined()
  })

  it('with arguments from stdin, from a file, and text from a file', async () => {
    const registry = await peerThat(json(200, {}))
    await writeFile(join(pml.folder, 'args.json'), '{"text":"from a file","tags":["x"]}')
    await writeFile(join(pml.folder, 'text.txt'), 'lines\n')
    await runAt(registry, ['memo', 'create', '--input', '-', '--limit', '3'], { stdin: '{"text":"piped"}' })
    await runAt(registry, ['memo', 'create', '--input', 'args.json'])
    await runAt(registry, ['memo', 'create', '--text-file', 'text.txt'])
    await runAt(registry, ['memo', 'create', '--text-file=-'], { stdin: 'piped text' })
    expect(registry.seen.map(({ body }) => JSON.parse(body))).toEqual([
      { text: 'piped', limit: 3 },
      { text: 'from a file', tags: ['x'] },
      { text: 'lines\n' },
      { text: 'piped text' },
    ])
  })

  it('without waiting for a stdin that nobody asked it to read', async () => {
    const registry = await peerThat(json(200, {}))
    expect(await runAt(registry, create)).toMatchObject({ exit: 0, stdout: 'done\n' })
  })
})

describe('pml passes on what the registry refuses', () => {
  const body = {
    error: 'invalid_arguments',
    message: 'Cannot call memo_create: limit: Too big: expected number to be <=100, got 101',
    issues: [{ path: ['limit'], message: 'Too big: expected number to be <=100, got 101' }],
  }

  it('as the same JSON, with the exit code of the error', async () => {
    const registry = await peerThat(json(422, body))
    const { exit, stdout } = await runAt(registry, [...create, '--limit', '101', '--json'])
    expect([exit, stdout]).toEqual([2, `${JSON.stringify(body)}\n`])
    expect(registry.seen).toHaveLength(1)
  })

  it('as a message on stderr', async () => {
    const registry = await peerThat(json(422, body))
    const outcome = await runAt(registry, [...create, '--limit', '101'])
    expect(outcome).toEqual({ exit: 2, stdout: '', stderr: `error: ${body.message}\n` })
  })

  it.each([
    ['forbidden', 403, 5],
    ['not_found', 404, 1],
    ['unavailable', 503, 6],
    ['from_the_future', 418, 1],
    ['__proto__', 500, 1],
  ])('%s with exit code %3$i', async (error, status, exit) => {
    const registry = await peerThat(json(status, { error, message: 'Cannot: because', extra: 1 }))
    const outcome = await runAt(registry, [...create, '--json'])
    const known = error.includes('_') && error !== 'not_found' ? 'internal_error' : error
    expect(outcome.exit).toBe(exit)
    expect(JSON.parse(outcome.stdout)).toEqual({ error: known, message: 'Cannot: because', extra: 1 })
  })

  it('and says which key is missing', async () => {
    const registry = await peerThat(
      json(401, { error: 'unauthorized', message: 'Cannot do it: expected a key' }),
    )
    expect(await runAt(registry, create)).toEqual({
      exit: 1,
      stdout: '',
      stderr: 'error: Cannot do it: expected a key\nSet PML_API_KEY to a key of this registry\n',
    })
  })
})

describe('pml does not trust who answers', () => {
  it.each<[string, Reply, string]>([
    ['a page', (response) => response.end('<h1>Hello</h1>'), 'expected the JSON of a registry'],
    ['a list', json(200, [1]), 'expected the JSON of a registry'],
    ['an error of somebody else', json(502, { detail: 'x' }), 'got something else with status 502'],
    [
      'half an answer',
      (response) =>
        void response.writeHead(200, { 'content-length': 99 }).write('{"a"', () => response.destroy()),
      'Cannot reach',
    ],
    ['no answer', (response) => response.destroy(), 'Cannot reach'],
    ['silence', () => {}, 'no answer within 400 ms'],
    [
      'an answer that never ends',
      (response) => void response.writeHead(200).write('{'),
      'no answer within 400 ms',
    ],
    [
      'an answer without measure',
      (response) => void response.end('x'.repeat(17 * 1024 * 1024)),
      'it has more than 16777216 bytes',
    ],
  ])('with %s', async (_, reply, message) => {
    const peer = await peerThat(reply)
    const env = { PML_TIMEOUT_MS: message.includes('400 ms') ? '400' : '30000' }
    const { exit, stdout, stderr } = await runAt(peer, create, { env })
    expect([exit, stdout]).toEqual([6, ''])
    expect(stderr).toContain(message)
    expect(stderr).toContain(peer.url)
    expect(stderr).not.toContain(KEY)
  })

  it('and follows no redirect with its key', async () => {
    const thief = await peerThat(json(200, { text: 'thanks' }))
    const peer = await peerThat((response) => {
      response.writeHead(307, { location: `${thief.url}/tools/memo_create` }).end()
    })
    const { exit, stderr } = await runAt(peer, create)
    expect([exit, thief.seen]).toEqual([6, []])
    expect(stderr).toContain(`it redirects to ${thief.url}; set PML_REGISTRY_URL`)
  })

  it('and says where nobody answers, and what to do', async () => {
    const peer = await startPeer(json(200, {}))
    await peer.stop()
    expect(await runAt(peer, create)).toEqual({
      exit: 6,
      stdout: '',
      stderr: `error: Cannot reach the registry at ${peer.url}: the connection was refused; start the registry, or set PML_REGISTRY_URL to its address\n`,
    })
  })

  it('and sends nothing in the open to another machine unless told to', async () => {
    const url = 'http://registry.invalid'
    const refused = await runAt({ url }, create)
    expect([refused.exit, refused.stderr]).toMatchObject([2, expect.stringContaining('give --insecure-http')])
    const sent = await runAt({ url }, [...create, '--insecure-http'], { env: { PML_TIMEOUT_MS: '5000' } })
    expect([sent.exit, sent.stderr]).toMatchObject([6, expect.stringContaining('Cannot reach')])
  })
})

describe('pml says what is wrong with the environment', () => {
  it.each([
    [{ PML_REGISTRY_URL: 'registry.example.com' }, 'PML_REGISTRY_URL: expected an address'],
    [{ PML_REGISTRY_URL: 'file:///etc/passwd' }, 'PML_REGISTRY_URL: expected an address'],
    [{ PML_REGISTRY_URL: 'https://me:s3cr3t@example.com' }, 'without a password'],
    [{ PML_API_KEY: 's3cr3t\nHost: evil' }, 'PML_API_KEY: expected one word'],
    [{ PML_API_KEY: 's3cr3t ü' }, 'PML_API_KEY: expected one word'],
    [{ PML_TIMEOUT_MS: 'soon' }, 'PML_TIMEOUT_MS: expected a whole number'],
  ])('%j, without repeating it', async (env, message) => {
    const { exit, stderr } = await pml.run(create, { env })
    expect([exit, stderr]).toMatchObject([2, expect.stringContaining(message)])
    expect(stderr).not.toContain('s3cr3t')
  })

  it('all of it at once, and only where it matters', async () => {
    const env = { PML_REGISTRY_URL: 'x', PML_API_KEY: 'a b', PML_TIMEOUT_MS: '0' }
    const { stderr } = await pml.run(create, { env })
    for (const name of Object.keys(env)) expect(stderr).toContain(`${name}: `)
    expect((await pml.run(['--help'], { env })).exit).toBe(0)
  })
})

describe('pml refuses', () => {
  it.each<[string, string[], RunOptions, number, string]>([
    [
      'invalid JSON on stdin',
      ['memo', 'create', '--input', '-'],
      { stdin: '{"text":}' },
      2,
      'stdin:1:9: expected valid JSON',
    ],
    ['a directory', ['memo', 'create', '--input', 'bin'], {}, 2, 'cannot read bin: it is a directory'],
    [
      'a file that is not there',
      ['memo', 'create', '--input', 'no.json'],
      {},
      2,
      'cannot read no.json: there is no such file',
    ],
    [
      '5 MB of JSON',
      ['memo', 'create', '--input', 'big.json'],
      {},
      1,
      'Cannot read big.json: expected at most 4194304 bytes',
    ],
    [
      '5 MB on stdin',
      ['memo', 'create', '--text-file', '-'],
      { stdin: 'x'.repeat(5_000_000) },
      1,
      'Cannot read stdin: expected at most',
    ],
    ['an unknown command', ['memo', 'creat'], {}, 2, "did you mean 'memo create'?"],
  ])('%s', async (_, argv, request, exit, message) => {
    await writeFile(join(pml.folder, 'big.json'), JSON.stringify({ text: 'x'.repeat(5_000_000) }))
    const outcome = await pml.run(argv, request)
    expect(outcome).toMatchObject({ exit, stdout: '' })
    expect(outcome.stderr).toContain(message)
  })
})

describe('pml ends', () => {
  it('by Ctrl-C with 130, whatever it waits for', async () => {
    const stop = new AbortController()
    const peer = await peerThat(() => stop.abort())
    expect(await runAt(peer, create, { signal: stop.signal })).toMatchObject({ exit: 130, stdout: '' })
    const other = new AbortController()
    const reading = await runAt(peer, ['memo', 'create', '--text-file', '-'], {
      signal: other.signal,
      // More than a pipe holds: written when it was read, and not ended.
      feed: (stdin) => stdin.write('x'.repeat(1024 * 1024), () => other.abort()),
    })
    expect(reading).toMatchObject({ exit: 130, stdout: '' })
  })
})

describe('pml loads little', () => {
  const listing = [
    "import { register } from 'node:module'",
    "const hook = `import { writeSync } from 'node:fs'",
    'export async function resolve(specifier, context, next) {',
    '  const found = await next(specifier, context)',
    String.raw`  writeSync(2, 'LOADED ' + found.url + '\\n')`,
    '  return found',
    '}`',
    "register('data:text/javascript,' + encodeURIComponent(hook))",
  ].join('\n')

  async function loadedBy(argv: string[]): Promise<string[]> {
    await mkdir(join(pml.folder, 'hooks'), { recursive: true })
    await writeFile(join(pml.folder, 'hooks', 'listing.mjs'), listing)
    const { stderr } = await pml.run(argv, { nodeArgs: ['--import', './hooks/listing.mjs'] })
    return [...stderr.matchAll(/^LOADED (.*)$/gm)].map(([, url = '']) => url)
  }

  /** Everything is in one bundle: what was loaded is known by what it says. */
  async function textOf(urls: readonly string[]): Promise<string> {
    const files = urls.filter((url) => url.includes('/bundle/')).map((url) => readFile(new URL(url), 'utf8'))
    return (await Promise.all(files)).join('\n')
  }

  it('to run a command: no schemas, no SDK, no help', async () => {
    const urls = await loadedBy(create)
    const text = await textOf(urls)
    expect(text).toContain('Cannot reach the registry at')
    for (const foreign of ['ZodObject', 'io.modelcontextprotocol', 'With every command', 'complete -F'])
      expect(text).not.toContain(foreign)
  })

  it('to run a command of one word: the list and its own file, no other', async () => {
    const sparse = await installPml()
    const commands = join(sparse.folder, 'bundle', 'commands')
    for (const file of await readdir(commands))
      if (!['index.json', 'memo_apply.json'].includes(file)) await rm(join(commands, file))
    const registry = await peerThat(json(200, { isDone: true }))
    const argv = ['apply', 'a:b', '--input', '{"path":"."}', '--json']
    const { exit, stdout } = await sparse.run(argv, { env: { PML_REGISTRY_URL: registry.url } })
    await sparse.remove()
    expect([exit, stdout]).toEqual([0, '{"isDone":true}\n'])
    expect(registry.seen).toMatchObject([
      { path: '/tools/memo_apply', body: '{"args":{"path":"."},"tool":"a:b"}' },
    ])
  })

  it('to show help: nothing that calls', async () => {
    const urls = await loadedBy(['--help'])
    const text = await textOf(urls)
    expect(text).toContain('With every command')
    for (const foreign of ['ZodObject', 'io.modelcontextprotocol', 'Cannot reach the registry at'])
      expect(text).not.toContain(foreign)
    expect(new Set(urls).size).toBeLessThan(30)
  })
})

describe('pml knows by itself', () => {
  it('its version, its commands and how to complete them', async () => {
    expect(await pml.run(['--version'])).toEqual({ exit: 0, stdout: '0.1.0\n', stderr: '' })
    expect((await pml.run(['memo'])).stdout).toContain('create  Keeps a memo.')
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await pml.run(['completions', shell])).stdout).toContain('--expires-in-days')
  })

  it('and says so where the build left its commands out', async () => {
    const broken = await installPml()
    await rm(join(broken.folder, 'bundle', 'commands'), { recursive: true })
    const { exit, stderr } = await broken.run(['--help'])
    await broken.remove()
    expect([exit, stderr]).toMatchObject([2, expect.stringContaining('build or install pml again')])
  })

  it('and has no colours but where they are wanted', async () => {
    expect((await pml.run(['--help'])).stdout).not.toContain('\u001B')
    expect((await pml.run(['--help'], { env: { FORCE_COLOR: '1' } })).stdout).toContain('\u001B')
    expect((await pml.run(['--help'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).stdout).not.toContain(
      '\u001B',
    )
  })
})
