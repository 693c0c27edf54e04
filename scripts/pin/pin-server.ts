import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addTools, lockBytes, makePin, type Pin } from '@pml/core/pins'
import type { PackageSpec, ServerConfig } from '@pml/core'
import { listTools, type Listed } from './list-tools.ts'
import { environmentOf, fill } from './placeholders.ts'
import type { Progress } from './progress.ts'
import { runNpm, type Npm } from './run-npm.ts'
import type { Kill } from './server-process.ts'

export interface PinnedServer {
  readonly config: ServerConfig
  readonly wanted: PackageSpec
  readonly previous: Pin | undefined
}

/** The outside world of a pin. */
export interface PinWorld {
  readonly npm: Npm
  readonly nodePath: string
  /** Where servers find programs. */
  readonly path: string
  readonly start: boolean
  readonly startTimeoutMs: number
  readonly kill: Kill
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

/** Resolves, installs and starts one server, in a folder that is gone afterwards. */
export async function pinServer(server: PinnedServer, world: PinWorld): Promise<Pin> {
  const folder = await mkdtemp(join(tmpdir(), 'pml-pin-'))
  try {
    const pin = await resolve(server, { folder, world })
    if (!world.start) return { ...pin, tools: toolsKept(pin, server.previous) }
    await install(pin, { folder, world })
    return addTools(pin, await tools(pin, server, { folder, world }))
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface Place {
  readonly folder: string
  readonly world: PinWorld
}

/** npm leaves out the addresses of registry packages itself, so that one which remains is of another kind. */
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
  await runNpm(world.npm, args, folder)
  return makePin(config.server, wanted, await readFile(join(folder, 'package-lock.json'), 'utf8'))
}

/** From the very bytes that clients will install from. */
async function install(pin: Pin, { folder, world }: Place): Promise<void> {
  world.progress.step(pin.server, `installing ${pin.package} ${pin.version}`)
  const manifest = { ...pin.lock.packages[''], private: true }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'package-lock.json'), lockBytes(pin))
  await runNpm(world.npm, ['ci', '--omit=dev', ...quiet], folder)
}

async function tools(
  pin: Pin,
  { config, wanted }: PinnedServer,
  { folder, world }: Place,
): Promise<readonly Listed[]> {
  world.progress.step(pin.server, 'listing its tools')
  const sandbox = { workDir: join(folder, 'work'), homeDir: join(folder, 'home'), path: world.path }
  await Promise.all([mkdir(sandbox.workDir), mkdir(sandbox.homeDir)])
  const args = [join(folder, pin.bin), ...wanted.args.map((argument) => fill(argument, sandbox))]
  const command = { command: world.nodePath, args, cwd: sandbox.workDir, env: environmentOf(config, sandbox) }
  const { startTimeoutMs: timeoutMs, kill, npm } = world
  const found = await listTools(command, { timeoutMs, kill, signal: npm.signal })
  if (!JSON.stringify(found).includes(folder)) return found
  throw new Error('its tool definitions name the folder it runs in, so they differ on every machine')
}

function toolsKept(pin: Pin, previous: Pin | undefined): Pin['tools'] {
  return previous?.version === pin.version && previous.integrity === pin.integrity ? previous.tools : null
}
