import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stdDir } from './paths.ts'
import { startRegistry, type TestRegistry } from './registry.ts'

const deno = join(dirname(createRequire(import.meta.url).resolve('deno/package.json')), 'bin.cjs')

let registry: TestRegistry
let folder: string

beforeAll(async () => {
  registry = await startRegistry({ stdDir })
  folder = await mkdtemp(join(tmpdir(), 'pml-deno-'))
})
afterAll(async () => {
  await registry.stop()
  await rm(folder, { recursive: true })
})

interface Run {
  readonly code: number
  readonly output: string
}

function runDeno(...args: string[]): Promise<Run> {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    DENO_DIR: join(folder, 'deno'),
    NO_COLOR: '1',
    DENO_NO_UPDATE_CHECK: '1',
  }
  return new Promise((done) => {
    execFile(process.execPath, [deno, ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      done({
        code: typeof error?.code === 'number' ? error.code : error ? 1 : 0,
        output: `${stdout}${stderr}`,
      })
    })
  })
}

describe('real Deno', () => {
  it('runs a module through the redirect, pins it, and refuses it after its bytes changed', async () => {
    const { host } = new URL(registry.url)
    await writeFile(join(folder, 'deno.json'), '{}')
    await writeFile(
      join(folder, 'main.ts'),
      `import slugify from '${registry.url}/mcp/pml.std.string.slugify'\nconsole.log(JSON.stringify(await slugify({ text: 'Grüße aus Köln' })))\n`,
    )
    const first = await runDeno('run', '--no-prompt', `--allow-import=${host}`, 'main.ts')
    expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/gru?e?sse/) })

    const lock = JSON.parse(await readFile(join(folder, 'deno.lock'), 'utf8')) as {
      redirects: Record<string, string>
      remote: Record<string, string>
    }
    const [target = ''] = Object.keys(lock.remote)
    const etag = (await fetch(target)).headers.get('etag')
    expect(lock.redirects).toEqual({ [`${registry.url}/mcp/pml.std.string.slugify`]: target })
    expect(etag).toBe(`"sha256-${lock.remote[target]}"`)

    const liar = await serveChanged(target)
    await rewrite('main.ts', registry.url, liar.url)
    await rewrite('deno.lock', registry.url, liar.url)
    const second = await runDeno('run', '--no-prompt', `--allow-import=${new URL(liar.url).host}`, 'main.ts')
    expect(second.code).not.toBe(0)
    expect(second.output).toMatch(/integrity check failed/i)
    liar.server.close()
  })
})

async function rewrite(file: string, from: string, to: string): Promise<void> {
  const path = join(folder, file)
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(from, to))
}

/** Starts a proxy that changes one byte of the registry's response behind the same redirect. */
async function serveChanged(target: string): Promise<{ url: string; server: Server }> {
  const { pathname } = new URL(target)
  const bytes = Buffer.from(await (await fetch(target)).arrayBuffer())
  const changed = Buffer.from(bytes.toString().replace('Cannot', 'cannot'))
  expect(changed).not.toEqual(bytes)
  const server = createServer((request, response) => {
    if (request.url === pathname)
      response.writeHead(200, { 'Content-Type': 'application/typescript' }).end(changed)
    else response.writeHead(302, { Location: pathname }).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
