import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Bench } from '../bench.ts'
import { stopProcess } from '../child-process.ts'
import { timed, type Timed } from '../client/alternate.ts'
import { makeBenchWorkspace, type BenchWorkspace } from '../client/bench-workspace.ts'
import { compare } from '../client/compare.ts'
import { findCpuSeconds, residentBytes } from '../process-facts.ts'
import { root } from '../root.ts'

const pml = join(root, 'packages', 'pml', 'bin', 'pml.js')
const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist',
  'index.js',
)
const server = { command: process.execPath, args: [everything, 'stdio'] }
const silent = {
  command: process.execPath,
  args: ['-e', 'setInterval(() => {}, 1000)'],
  startTimeoutMs: 600_000,
}
const message = 'three plain words'
const IDLE_MS = 20_000

/** Measures the cost of the gateway between an agent and its servers. */
export async function measureGateway(bench: Bench): Promise<void> {
  if (bench.wanted.has('gateway-call')) await measureCall(bench)
  if (bench.wanted.has('start-20')) await measureStart(bench)
  if (bench.wanted.has('gateway-idle')) await measureIdle(bench)
  if (bench.wanted.has('gateway-memory')) await measureMemory(bench)
}

/** An echo of the real everything server through `pml serve`, with two hops, compared with a direct one. */
async function measureCall(bench: Bench): Promise<void> {
  const { client } = await openGateway(bench, { everything: server })
  const direct = await connect(bench, new StdioClientTransport({ ...server, stderr: 'ignore' }))
  await compare(bench, 'gateway-call', {
    warmUps: 50,
    rounds: 500,
    ours: echo(client, 'everything__echo'),
    peer: echo(direct, 'echo'),
    against: 'a direct call',
  })
}

/** Time until 19 of 20 servers are ready while one hangs, compared with starting those 19 by hand concurrently. */
async function measureStart(bench: Bench): Promise<void> {
  const workspace = await makeServers(bench, { ...many(19), silent })
  await compare(bench, 'start-20', {
    warmUps: 1,
    rounds: 5,
    ours: () => timed(() => watchUntilReady(workspace, 19)),
    peer: () => timed(() => startByHand(workspace, 19)),
    against: '19 started by hand',
  })
}

/** CPU use in percent of one core, while 20 servers are idle. */
async function measureIdle(bench: Bench): Promise<void> {
  const { client, pid } = await openGateway(bench, many(20))
  for (const name of Object.keys(many(20))) await echo(client, `${name}__echo`)()
  await delay(2000)
  const before = findCpuSeconds(pid)
  await delay(IDLE_MS)
  const after = findCpuSeconds(pid)
  if (before === undefined || after === undefined)
    return bench.tell('gateway-idle: not measured on this system')
  const percent = ((after - before) / (IDLE_MS / 1000)) * 100
  bench.tell(`gateway-idle: ${percent.toFixed(2)} % of a core in ${IDLE_MS / 1000} s`)
  bench.report('gateway-idle', percent)
}

async function measureMemory(bench: Bench): Promise<void> {
  const { client, pid } = await openGateway(bench, { everything: server })
  const call = echo(client, 'everything__echo')
  for (let count = 0; count < 10; count++) await call()
  const early = residentBytes(pid)
  for (let count = 0; count < 990; count++) await call()
  const late = residentBytes(pid)
  const print = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
  bench.tell(`gateway-memory: ${print(early)} after 10 calls, ${print(late)} after 1000`)
  bench.report('gateway-memory', late / early)
}

function many(count: number): Record<string, typeof server> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, server]))
}

async function makeServers(bench: Bench, mcpServers: object): Promise<BenchWorkspace> {
  const workspace = await makeBenchWorkspace(bench.stops, { allow: ['*'] })
  const folder = join(workspace.cacheDir, '..', 'servers')
  await mkdir(folder)
  await writeFile(join(folder, 'all.json'), JSON.stringify({ mcpServers }))
  return { ...workspace, env: { ...workspace.env, PML_MCP_PATH: folder } }
}

async function openGateway(bench: Bench, servers: object): Promise<{ client: Client; pid: number }> {
  const { root: cwd, env } = await makeServers(bench, servers)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [pml, 'serve'],
    cwd,
    env: { ...env },
    stderr: 'ignore',
  })
  const client = await connect(bench, transport)
  await untilListed(client, Object.keys(servers).length)
  const { pid } = transport
  if (pid === null) throw new Error('Cannot measure: the gateway has no process')
  return { client, pid }
}

async function connect(bench: Bench, transport: StdioClientTransport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
  await client.connect(transport)
  bench.stops.add(() => client.close())
  return client
}

/** New servers are first started in the background. */
async function untilListed(client: Client, count: number): Promise<void> {
  for (;;) {
    const { tools } = await client.listTools()
    if (tools.filter(({ name }) => name.endsWith('__echo')).length >= count) return
    await delay(100)
  }
}

function echo(client: Client, name: string): Timed {
  return () =>
    timed(async () => {
      const { content } = await client.callTool({ name, arguments: { message } })
      if (!JSON.stringify(content).includes(message))
        throw new Error(`Cannot call ${name}: ${JSON.stringify(content)}`)
    })
}

async function watchUntilReady({ root: cwd, env }: BenchWorkspace, count: number): Promise<void> {
  const child = spawn(process.execPath, [pml, 'mcp', 'list', '--watch'], {
    cwd,
    env: { ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ready = new Set<string>()
  await new Promise<void>((done, fail) => {
    child.once('exit', (code) => fail(new Error(`Cannot watch servers: it exited with ${code}`)))
    createInterface(child.stderr).on('line', (line) => {
      const name = /^(\S+) +ready /.exec(line)?.[1]
      if (name !== undefined) ready.add(name)
      if (ready.size === count) done()
    })
  })
  void stopProcess(child)
}

/** In its own process, like ours. */
function startByHand({ root: cwd, env }: BenchWorkspace, count: number): Promise<void> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'start-by-hand.mjs'), everything, String(count)],
    {
      cwd,
      env: { ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  return new Promise((done, fail) =>
    child.once('exit', (code) =>
      code === 0 ? done() : fail(new Error(`Cannot start by hand: exit ${code}`)),
    ),
  )
}
