import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toolsDigest, type Pin } from '@pml/core/pins'
import { isAlive, kill } from '../../test/rough-folder.ts'
import { readPin, treeOf } from '../../test/small-tree.ts'
import { findNpm } from '../npm/run-npm.ts'
import { installTree } from '../npm/install-tree.ts'
import { openSession, type SessionOptions, type Target } from './mcp-session.ts'
import { ServerProcess } from './server-process.ts'
import { verifyTree, type InstalledTree } from '../npm/tree-store.ts'

const never = new AbortController().signal
const soon = { signal: never, timeoutMs: 20_000 }
const servers = ['memory', 'filesystem', 'everything'] as const
const trees = new Map<string, { pin: Pin; tree: InstalledTree }>()
let folder: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'real-servers-')))
  const npm = await findNpm(process)
  for (const server of servers) {
    const pin = await readPin(server)
    const options = { npm, signal: never, timeoutMs: 120_000, kill, tell: () => {} }
    trees.set(server, {
      pin,
      tree: await installTree({ folder: join(folder, 'trees') }, treeOf(pin), options),
    })
  }
}, 240_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

function installed(server: string): { pin: Pin; tree: InstalledTree } {
  const found = trees.get(server)
  if (found === undefined) throw new Error(`${server} is not installed`)
  return found
}

function commandOf(server: string, args: string[] = [], env: Record<string, string> = {}) {
  const { binPath } = installed(server).tree
  return {
    command: process.execPath,
    args: [binPath, ...args],
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    secrets: [],
  }
}

function open(target: Target) {
  const options: SessionOptions = {
    client: { name: 'test', version: '1' },
    connectTimeoutMs: 30_000,
    signal: never,
    kill,
    onStderr: () => {},
  }
  return openSession(target, options)
}

describe.each(servers)('%s, installed from its pin', (server) => {
  test('is whole, and offers the tools that were pinned, to the letter', async () => {
    const { pin, tree } = installed(server)
    await verifyTree(tree)
    const session = await open({
      kind: 'stdio',
      ...commandOf(server, server === 'filesystem' ? [folder] : []),
    })
    expect(toolsDigest(await session.listTools(soon))).toBe(toolsDigest(pin.tools ?? []))
    await session.close()
    await verifyTree(tree)
  })
})

test('memory stores entities, and reports unknown ones', async () => {
  const session = await open({
    kind: 'stdio',
    ...commandOf('memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.json') }),
  })
  const entities = [{ name: 'PML', entityType: 'registry', observations: ['keeps its word'] }]
  expect(await session.callTool('create_entities', { entities }, soon)).toMatchObject({ isError: false })
  expect(await session.callTool('read_graph', {}, soon)).toMatchObject({
    structuredContent: { entities, relations: [] },
  })
  const unknown = await session.callTool('no_such_tool', {}, soon).catch((error: unknown) => error)
  expect(JSON.stringify(unknown)).toMatch(/not found|no such tool/)
  await session.close()
  expect(await readFile(join(folder, 'memory.json'), 'utf8')).toContain('keeps its word')
})

test('filesystem reads permitted folders and refuses others', async () => {
  await writeFile(join(folder, 'note.txt'), 'hello €')
  const session = await open({ kind: 'stdio', ...commandOf('filesystem', [folder]) })
  const { content } = await session.callTool('read_text_file', { path: join(folder, 'note.txt') }, soon)
  expect(content[0]).toMatchObject({ type: 'text', text: 'hello €' })
  expect(await session.callTool('read_text_file', { path: '/etc/passwd' }, soon)).toMatchObject({
    isError: true,
  })
  await session.close()
})

test('everything is the same over HTTP, and gone when it is ended', async () => {
  const port = await freePort()
  let hear = (_line: string) => {}
  const ready = new Promise<void>((resolve) => (hear = (line) => /listening/i.test(line) && resolve()))
  const command = commandOf('everything', ['streamableHttp'], { PORT: String(port) })
  const running = await ServerProcess.start(command, { kill, onStderr: (line) => hear(line) })
  await ready
  const url = new URL(`http://127.0.0.1:${port}/mcp`)
  const session = await open({ kind: 'http', url, headers: {}, secrets: [] })
  const steps: number[] = []
  const args = { duration: 0.3, steps: 3 }
  await session.callTool('trigger-long-running-operation', args, {
    ...soon,
    onProgress: ({ progress }) => steps.push(progress),
  })
  expect(steps.length).toBeGreaterThan(0)
  expect(await session.callTool('echo', { message: '€' }, soon)).toMatchObject({
    content: [{ type: 'text', text: 'Echo: €' }],
  })
  await session.close()
  const { pid = 0 } = running
  expect(await isAlive(pid)).toBe(true)
  await running.close(0)
  expect(await isAlive(pid)).toBe(false)
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
