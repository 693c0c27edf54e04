import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listTools } from './list-tools.ts'

/** A server that answers in two pages, chatters on stdout, and starts a child that wants to live and one that leaves its group. */
const server = `
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
process.on('SIGTERM', () => {})
const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: 'ignore' })
const loner = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', detached: true })
writeFileSync('pids', [process.pid, child.pid, loner.pid].join(' '))
console.log('Welcome to the server')
const mode = process.argv[2]
if (mode === 'crash') { loner.kill(); console.error('no key, no service'); process.exit(3) }
const tool = (name) => ({ name, description: Object.keys(process.env).sort().join(), inputSchema: { type: 'object', $comment: 'kept' }, annotations: { other: true }, 'x-more': [1] })
const answer = ({ method, params }) => {
  if (method === 'initialize') return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'two', version: '1' } }
  return params?.cursor === 'next' ? { tools: [tool('a')] } : { tools: [tool('b')], nextCursor: 'next' }
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.id === undefined || mode === 'silent') return
  console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) }))
})
`

const kill = (pid: number, signal: NodeJS.Signals | 0) => process.kill(pid, signal)
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'list-tools-'))
  await writeFile(join(folder, 'server.mjs'), server)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('lists the tools of every page, whatever else is on stdout', async () => {
  const tools = await list('good')
  expect(tools.map(({ name }) => name)).toEqual(['b', 'a'])
  expect(await alive()).toEqual([])
})

test('keeps every part of a definition, known to the protocol or not', async () => {
  const [tool] = await list('good')
  expect(tool).toMatchObject({
    'x-more': [1],
    inputSchema: { type: 'object', $comment: 'kept' },
    annotations: { other: true },
  })
})

test('gives a server exactly the environment it was meant to have', async () => {
  const [tool] = await list('good')
  expect(tool).toMatchObject({ description: 'LANG,PATH' })
})

test('ends a server that never answers, with its children', async () => {
  await expect(list('silent', 1500)).rejects.toThrow('it did not list its tools')
  expect(await alive()).toEqual([])
})

test('repeats what a server said before it gave up, and ends its children', async () => {
  await expect(list('crash')).rejects.toThrow('it said: no key, no service')
  expect(await alive()).toEqual([])
})

test('says that there was nothing to start', async () => {
  await expect(list('good', 1000, join(folder, 'nowhere'))).rejects.toThrow('it did not list its tools')
})

test('stops at once when it is told to', async () => {
  const stopping = AbortSignal.timeout(300)
  const command = {
    command: process.execPath,
    args: [join(folder, 'server.mjs'), 'silent'],
    cwd: folder,
    env: {},
  }
  const began = performance.now()
  await expect(listTools(command, { timeoutMs: 60_000, signal: stopping, kill })).rejects.toThrow(
    'it did not list',
  )
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(await alive()).toEqual([])
})

function list(mode: string, timeoutMs = 20_000, command = process.execPath) {
  const env = { PATH: '/nowhere', LANG: 'C.UTF-8' }
  const args = [join(folder, 'server.mjs'), mode]
  return listTools(
    { command, args, cwd: folder, env },
    { timeoutMs, signal: new AbortController().signal, kill },
  )
}

/** Which of the last server's processes still run. */
async function alive(): Promise<string[]> {
  await delay(50)
  const pids = (await readFile(join(folder, 'pids'), 'utf8')).split(' ')
  const states = await Promise.all(pids.map(stateOf))
  return states.filter((state) => state !== 'gone')
}

/** A zombie is gone: it waits only for its burial, which containers without an init process never give. */
async function stateOf(pid: string): Promise<string> {
  if (process.platform !== 'linux') return isRunning(Number(pid)) ? 'running' : 'gone'
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text === '' || text.includes(') Z ') ? 'gone' : text
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
