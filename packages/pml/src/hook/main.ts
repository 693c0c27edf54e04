import { readSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PmlError } from '@pml/core/errors'
import { isLoopback } from '@pml/core/loopback'
import { managedFolderOf } from '../hooks/managed-folder.ts'
import { cacheHomeOf } from '../ops.ts'
import { findRegistry } from '../settings.ts'
import { registryLink, type RegistryLink } from './registry-link.ts'
import { runHook } from './run-hook.ts'

const BLOCK = 2
const LIMIT_BYTES = 64 * 1024 * 1024
/** Less than any agent waits for a hook. */
const REGISTRY_MS = 8000
const WHOLE_MS = 25_000
const projectVariables = [
  'CLAUDE_PROJECT_DIR',
  'GEMINI_PROJECT_DIR',
  'CURSOR_PROJECT_DIR',
  'CODEX_PROJECT_DIR',
]

// This is the one place where a hook fails, and it fails closed: whatever happens, the answer is a block.
process.on('uncaughtException', deny)
process.on('unhandledRejection', deny)
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => deny(new Error(`it was stopped by ${signal}`)))
setTimeout(() => deny(new Error(`it took longer than ${WHOLE_MS / 1000} s`)), WHOLE_MS).unref()
try {
  const { exitCode, stdout, stderr } = await runHook(agentIn(process.argv.slice(3)), readInput(), placeOf())
  if (stderr !== '') process.stderr.write(stderr)
  if (stdout !== '') process.stdout.write(stdout)
  process.exitCode = exitCode
} catch (error) {
  deny(error)
}

function deny(error: unknown): never {
  const isKnown = error instanceof PmlError
  const why = error instanceof Error ? error.message : String(error)
  try {
    process.stderr.write(
      `BLOCKED::${isKnown && error.code === 'invalid_config' ? 'POLICY_UNREADABLE' : 'HOOK_FAILED'}\nACTION::tell the person that the hook could not decide\n\n${isKnown ? '' : 'The hook of pml failed, so the call is blocked: '}${why}.\nThe person can run "pml hooks doctor" to find out why.\n`,
    )
  } finally {
    process.exit(BLOCK)
  }
}

function agentIn(argv: readonly string[]): string {
  const at = argv.indexOf('--agent')
  const joined = argv.find((word) => word.startsWith('--agent='))
  const agent = joined?.slice('--agent='.length) ?? (at < 0 ? undefined : argv[at + 1])
  if (agent === undefined)
    throw new PmlError('bad_request', 'Cannot answer: expected --agent and the name of an agent')
  return agent
}

/** All of stdin, at once: nothing else can be done before it is there. */
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

/** A terminal or a socket may have nothing yet. */
function readPart(into: Buffer): number {
  for (;;) {
    try {
      return readSync(0, into)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EOF') return 0
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

function placeOf(): Parameters<typeof runHook>[2] {
  const { env } = process
  const cache = cacheHomeOf(env, process.platform)
  const bundle = dirname(fileURLToPath(new URL('.', import.meta.url)))
  return {
    home: homedir(),
    env,
    managed: managedFolderOf(process.platform),
    folders: [process.cwd(), ...projectVariables.flatMap((name) => env[name] || [])],
    defaults: new URL('enforcement.json', import.meta.url),
    installation: [dirname(bundle), cache],
    cache,
    link: linkOf(env),
    now: Date.now,
  }
}

/** Without an address and a key local rules decide alone; with only one of them somebody meant something else. */
function linkOf(env: NodeJS.ProcessEnv): RegistryLink | undefined {
  const [address, apiKey] = [env['PML_REGISTRY_URL']?.trim(), env['PML_API_KEY']?.trim()]
  if (!address || !apiKey) return undefined
  const url = findRegistry(address)
  if (!url)
    throw new PmlError(
      'invalid_config',
      'Cannot read PML_REGISTRY_URL: expected an address such as https://registry.example.com',
    )
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    throw new PmlError(
      'invalid_config',
      'Cannot use PML_REGISTRY_URL: a key goes over https only; expected an https address',
    )
  return registryLink({ url, apiKey, timeoutMs: REGISTRY_MS })
}
