import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { integrityOf, type PackageSpec, type ServerConfig } from '@pml/core'
import { addTools, lockBytes, makePin, type Pin, type ToolDefinition } from '@pml/core/pins'
import { installTree } from '../../packages/pml/src/npm/install-tree.ts'
import { openSession } from '../../packages/pml/src/mcp/mcp-session.ts'
import { requireNpm, type BoundNpm } from '../run-npm.ts'
import { environmentOf, fill } from './placeholders.ts'
import type { Progress } from './progress.ts'

export interface PinnedServer {
  readonly config: ServerConfig
  readonly wanted: PackageSpec
  readonly previous: Pin | undefined
}

/** The outside world of the pinner. */
export interface PinWorld {
  readonly npm: BoundNpm
  readonly nodePath: string
  /** The PATH of servers. */
  readonly path: string
  readonly start: boolean
  readonly startTimeoutMs: number
  readonly progress: Progress
}

const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
/** Settings of the operator that would give another tree on another machine. */
const plain = [
  '--install-strategy=hoisted',
  '--legacy-peer-deps=false',
  '--lockfile-version=3',
  '--save',
  '--save-exact',
]

/** Resolves, installs and starts one server, in a temporary folder. */
export async function pinServer(server: PinnedServer, world: PinWorld): Promise<Pin> {
  const folder = await mkdtemp(join(tmpdir(), 'pml-pin-'))
  try {
    const pin = await resolve(server, { folder, world })
    if (!world.start) return { ...pin, tools: toolsKept(pin, server.previous) }
    const file = await install(pin, { folder, world })
    return addTools(pin, await tools(file, server, { folder, world }))
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface Place {
  readonly folder: string
  readonly world: PinWorld
}

/** npm omits the addresses of registry packages itself, so any that remain are of another kind. */
async function resolve({ config, wanted }: PinnedServer, { folder, world }: Place): Promise<Pin> {
  world.progress.step(config.server, `resolving ${wanted.spec}`)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'pin', private: true }))
  const args = [
    'install',
    '--package-lock-only',
    '--omit-lockfile-registry-resolved',
    ...quiet,
    ...plain,
    wanted.spec,
  ]
  await requireNpm(world.npm, args, folder)
  return makePin(config.server, wanted, await readFile(join(folder, 'package-lock.json'), 'utf8'))
}

/** Installs like a client, from the same bytes. Returns the file to start. */
async function install(pin: Pin, { folder, world }: Place): Promise<string> {
  world.progress.step(pin.server, `installing ${pin.package} ${pin.version}`)
  const lock = lockBytes(pin)
  const tree = { lock, integrity: integrityOf(lock), bin: pin.bin }
  const options = { ...world.npm, tell: () => {} }
  return (await installTree({ folder: join(folder, 'trees') }, tree, options)).binPath
}

async function tools(
  file: string,
  { config, wanted }: PinnedServer,
  { folder, world }: Place,
): Promise<readonly ToolDefinition[]> {
  world.progress.step(config.server, 'listing its tools')
  const sandbox = { workDir: join(folder, 'work'), homeDir: join(folder, 'home'), path: world.path }
  await Promise.all([mkdir(sandbox.workDir), mkdir(sandbox.homeDir)])
  const args = [file, ...wanted.args.map((argument) => fill(argument, sandbox))]
  const env = environmentOf(config, sandbox)
  const target = {
    kind: 'stdio',
    command: world.nodePath,
    args,
    cwd: sandbox.workDir,
    env,
    secrets: [],
  } as const
  const { startTimeoutMs: timeoutMs, npm } = world
  const { signal, kill } = npm
  const client = { name: 'pml-pin', version: '0.1.0' }
  const options = { client, connectTimeoutMs: timeoutMs, signal, kill, server: config.server }
  const session = await openSession(target, { ...options, onStderr: () => {} })
  try {
    const found = await session.listTools({ signal, timeoutMs })
    if (!JSON.stringify(found).includes(folder)) return found
    throw new Error('its tool definitions name the folder it runs in, so they differ on every machine')
  } finally {
    await session.close()
  }
}

function toolsKept(pin: Pin, previous: Pin | undefined): Pin['tools'] {
  return previous?.version === pin.version && previous.integrity === pin.integrity ? previous.tools : null
}
