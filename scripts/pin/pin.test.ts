import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parsePin, type Pin } from '@pml/core/pins'

const main = fileURLToPath(new URL('main.ts', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const mcpServers = {
  memory: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] },
  missing: { command: 'npx', args: ['-y', '@pml-registry-test/there-is-no-such-package'] },
  fetch: { command: 'uvx', args: ['mcp-server-fetch'] },
}

let folder: string
let pinned: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pin-test-'))
  pinned = join(folder, 'pins', 'memory.json')
  await mkdir(join(folder, 'tmp'))
  await writeFile(join(folder, 'mcp-servers.json'), JSON.stringify({ mcpServers }))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('pins what it can, reports what it cannot, and leaves nothing behind', async () => {
  const { code, stdout, stderr } = await pin()
  expect(stdout).toMatch(
    /^memory: new pin, @modelcontextprotocol\/server-memory \d+\.\d+\.\d+\n {2}\d+ packages\n {2}9 tools: add_obs/,
  )
  expect(stdout).toMatch(/\nmissing: FAILED, npm install failed with E404: /)
  expect(stdout).toMatch(/\n1 changed, 0 unchanged, 1 failed\n$/)
  expect(stderr).toContain('memory: listing its tools\n')
  expect(code).toBe(1)
  expect(await readdir(join(folder, 'pins'))).toEqual(['memory.json'])
  const { tools } = await readPinned()
  expect(tools?.find(({ name }) => name === 'read_graph')?.inputSchema).toMatchObject({ type: 'object' })
})

test('writes nothing if nothing changed', async () => {
  const before = await stat(pinned)
  expect(await pin('memory')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^memory: unchanged at [\d.]+\n/),
  })
  expect((await stat(pinned)).ino).toBe(before.ino)
  expect((await stat(pinned)).mtimeMs).toBe(before.mtimeMs)
})

test('reports what changed since the last pin', async () => {
  const now = await readFile(pinned, 'utf8')
  await writeFile(pinned, doctored(await readPinned()))
  const { code, stdout } = await pin('memory')
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^memory: @modelcontextprotocol\/server-memory [\d.]+, the tree or the tools changed\n/,
  )
  expect(stdout).toMatch(/\n {2}~ zod 0\.0\.1 -> \d/)
  expect(stdout).toContain('\n  + tool search_nodes\n')
  expect(stdout).toContain('\n  ~ tool read_graph\n')
  expect(await readFile(pinned, 'utf8')).toBe(now)
})

test('without a start keeps the tools of the same version, and drops those of another', async () => {
  const now = await readFile(pinned, 'utf8')
  expect(await pin('memory', '--no-start')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('memory: unchanged'),
  })
  await rm(pinned)
  expect(await pin('memory', '--no-start')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('tools not listed'),
  })
  expect((await readPinned()).tools).toBeNull()
  await writeFile(pinned, now)
})

test('refuses to replace an invalid pin', async () => {
  const now = await readFile(pinned, 'utf8')
  await writeFile(pinned, now.replace('"version"', '"versions"'))
  expect(await pin('memory')).toMatchObject({ code: 1, stdout: expect.stringContaining('memory.json:') })
  await writeFile(pinned, now)
})

test.each([
  [
    ['nobody'],
    "Cannot pin 'nobody': expected a server that npx starts, got no server of that name; there are: memory, missing",
  ],
  [['fetch'], "Cannot pin 'fetch': expected a server that npx starts, got a server that uvx serves"],
  [['--concurrency', '0'], 'Cannot use --concurrency 0: expected a number from 1 to 16'],
  [['--force'], 'Cannot read the arguments'],
  [['--config', 'nowhere'], 'Cannot read nowhere/mcp-servers.json: ENOENT'],
])('%j is a usage error', async (args, message) => {
  expect(await pin(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
})

test('cleans up when it is stopped', async () => {
  const { code, stdout } = await pin('memory', { stopAt: 'resolving' })
  expect(code).toBe(1)
  expect(stdout).toContain('memory: FAILED')
})

async function readPinned(): Promise<Pin> {
  return parsePin(await readFile(pinned, 'utf8'), pinned)
}

/** An older tree with one tool missing and one changed. */
function doctored(pin: Pin): string {
  const zod = { ...pin.lock.packages['node_modules/zod'], version: '0.0.1' }
  const lock = { ...pin.lock, packages: { ...pin.lock.packages, 'node_modules/zod': zod } }
  const tools = (pin.tools ?? [])
    .filter(({ name }) => name !== 'search_nodes')
    .map((tool) => (tool.name === 'read_graph' ? { ...tool, description: 'Reads' } : tool))
  return JSON.stringify({ ...pin, lock, tools })
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command like a user, and checks that its temporary folder is empty afterwards. */
async function pin(...args: (string | { stopAt: string })[]): Promise<Ended> {
  const words = args.filter((arg) => typeof arg === 'string')
  const stop = args.find((arg) => typeof arg === 'object')
  const options = words.includes('--config') ? words : [...words, '--config', folder]
  const env = { ...process.env, TMPDIR: join(folder, 'tmp'), npm_config_prefer_offline: 'true' }
  const child = spawn(process.execPath, ['--conditions=pml-source', '--import', 'tsx', main, ...options], {
    cwd: root,
    env,
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text))
  let stopped = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text
    if (stopped || !stop || !said.stderr.includes(stop.stopAt)) return
    // Only once: a second signal during the exit would kill Node, which no longer handles it.
    stopped = child.kill('SIGTERM')
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  expect(await leftIn(join(folder, 'tmp'))).toEqual([])
  return { code, ...said }
}

/** tsx has its own cache there. */
async function leftIn(temporary: string): Promise<string[]> {
  return (await readdir(temporary)).filter((name) => name.startsWith('pml-pin-'))
}
