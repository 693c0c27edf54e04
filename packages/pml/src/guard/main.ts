import { readSync, writeSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { PmlError } from '@pml/core/errors'
import { isLoopback } from '@pml/core/loopback'
import { hookedAgents } from '@pml/hooks/agents'
import { managedFolderOf } from '../agents/agent-folder.ts'
import { cacheHomeOf, configHomeOf, homeOf, stateHomeOf } from '../machine/ops.ts'
import { namedPathsOf } from '../workspace/server-places.ts'
import { findRegistry } from '../machine/settings.ts'
import { findProxy } from './world/find-proxy.ts'
import { localWorld } from './world/local-world.ts'
import { printFailure } from './print-failure.ts'
import { registryLink, type RegistryLink } from './world/registry-link.ts'
import { runHook } from './run-hook.ts'

const BLOCK = 2
const [STDOUT, STDERR] = [1, 2]
const RETRY_MS = 5
const LIMIT_BYTES = 64 * 1024 * 1024
/** Shorter than the limit of the installed command line. */
const REGISTRY_MS = 8000
const WHOLE_MS = 20_000
const projectVariables = hookedAgents.flatMap(({ hooks }) => hooks.projectVariables ?? [])

// The hook fails closed here: whatever happens, the call is blocked.
process.on('uncaughtException', deny)
process.on('unhandledRejection', deny)
// A promise that never settles would exit with code 0.
process.on('beforeExit', () => deny(new Error('it exited without a decision')))
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => deny(new Error(`it was stopped by ${signal}`)))
setTimeout(() => deny(new Error(`it took longer than ${WHOLE_MS / 1000} s`)), WHOLE_MS).unref()
void answer().catch(deny)

async function answer(): Promise<void> {
  const { exitCode, stdout, stderr } = await runHook(agentIn(process.argv.slice(3)), readInput(), placeOf())
  write(STDERR, stderr)
  write(STDOUT, stdout)
  // Exits at once, without closing the connection to the registry.
  process.exit(exitCode)
}

function deny(error: unknown): never {
  try {
    write(STDERR, printFailure(error))
  } finally {
    process.exit(BLOCK)
  }
}

/** Writes synchronously: creating a stream takes longer than the write. */
function write(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length;) at += whenReady(() => writeSync(file, bytes, at))
}

function agentIn(argv: readonly string[]): string {
  const at = argv.indexOf('--agent')
  const joined = argv.find((word) => word.startsWith('--agent='))
  const agent = joined?.slice('--agent='.length) ?? (at < 0 ? undefined : argv[at + 1])
  if (agent === undefined)
    throw new PmlError('bad_request', 'Cannot answer: expected --agent and the name of an agent')
  return agent
}

/** Reads all of stdin synchronously: nothing can be done before. */
function readInput(): string {
  const parts: Buffer[] = []
  let size = 0
  for (;;) {
    const part = Buffer.allocUnsafe(65_536)
    const length = readPart(part)
    if (length === 0) break
    size += length
    if (size > LIMIT_BYTES) throw new PmlError('too_large', 'Cannot read the event: it is over 64 MiB')
    parts.push(part.subarray(0, length))
  }
  return Buffer.concat(parts).toString('utf8')
}

function readPart(into: Buffer): number {
  try {
    return whenReady(() => readSync(0, into))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EOF') return 0
    throw error
  }
}

/** Retries while a non-blocking pipe is empty or full. */
function whenReady(work: () => number): number {
  for (;;) {
    try {
      return work()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
    }
  }
}

function placeOf(): Parameters<typeof runHook>[2] {
  const { env, platform } = process
  const home = homeOf(env)
  const { realPath } = localWorld(home)
  const asNamedAndReally = (path: string) => [path, realPath(path)]
  const cache = cacheHomeOf(env, platform)
  const cwd = process.cwd()
  const kept = [resolve(cwd, cache), configHomeOf(env, platform), stateHomeOf(env, platform)]
  const named = namedPathsOf({ env, cwd, platform })
  return {
    home,
    env,
    managed: managedFolderOf(platform),
    folders: [cwd, ...projectVariables.flatMap((name) => env[name] || [])],
    defaults: join(import.meta.dirname, 'enforcement.json'),
    installation: [dirname(dirname(import.meta.dirname))],
    kept: [
      ...kept.flatMap(asNamedAndReally),
      ...named.flatMap(asNamedAndReally).map((path) => join(path, '*')),
    ],
    execPath: process.execPath,
    cache,
    state: stateHomeOf(env, platform),
    config: configHomeOf(env, platform),
    link: linkOf(env),
    pid: process.pid,
    now: Date.now,
  }
}

/** The link to the registry; without an address and a key only local rules decide. */
function linkOf(env: NodeJS.ProcessEnv): RegistryLink | undefined {
  const [address, apiKey] = [env['PML_REGISTRY_URL']?.trim(), env['PML_API_KEY']?.trim()]
  if (!address || !apiKey) return undefined
  // Other characters could inject request headers.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new PmlError('invalid_config', 'Cannot read PML_API_KEY: expected one word of printable ASCII')
  const url = findRegistry(address)
  if (!url)
    throw new PmlError(
      'invalid_config',
      'Cannot read PML_REGISTRY_URL: expected an address such as https://registry.example.com',
    )
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    throw new PmlError(
      'invalid_config',
      'Cannot use PML_REGISTRY_URL: a key is only sent over https; expected an https address',
    )
  return registryLink({ url, apiKey, timeoutMs: REGISTRY_MS, proxy: findProxy(url, env) })
}
