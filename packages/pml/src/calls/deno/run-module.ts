import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { PmlError, type ErrorCode } from '@pml/core'
import { splitLines } from '@pml/core/split-lines'
import { OwnedProcess, type Kill, type ProcessCommand } from '../../machine/owned-process.ts'
import { requireFolder } from '../../workspace/workspace-files.ts'
import { watchMemory } from './watch-memory.ts'

/** One run of a module in a Deno process of its own. */
export interface ModuleRun {
  /** The name in messages. */
  readonly name: string
  readonly code: string
  /** Undefined: the module is only loaded, to read the permissions that it declares. */
  readonly args: Readonly<Record<string, unknown>> | undefined
  /** `--allow-…` and `--deny-…`; without flags the module can only compute. */
  readonly flags: readonly string[]
  readonly cwd: string
  /** The whole environment apart from `DENO_DIR`; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
}

export interface DenoLimits {
  readonly deno: string
  /** The parent of the temporary folder of each run. */
  readonly folder: string
  readonly timeoutMs: number
  readonly memoryMb: number
  readonly signal: AbortSignal
  readonly kill: Kill
  /** Called with each line of stderr. */
  onStderr(line: string): void
}

type Outcome =
  | { readonly permissions: unknown }
  | { readonly result: unknown }
  | { readonly error: { readonly name: string; readonly message: string; readonly stack: string } }

const main = fileURLToPath(new URL('./deno-main.js', import.meta.url))
const LIMIT_BYTES = 16 * 1024 * 1024
const LINE_LIMIT_BYTES = 64 * 1024
/** No prompts, no imports from elsewhere, no configuration of the workspace. */
const closed = [
  '--quiet',
  '--no-prompt',
  '--no-remote',
  '--no-npm',
  '--no-config',
  '--no-lock',
  '--cached-only',
  '--no-code-cache',
]

/** Runs a module in a temporary folder, which is removed afterwards with everything that Deno stored in it. */
export async function runModule(run: ModuleRun, limits: DenoLimits): Promise<Outcome> {
  const folder = await makeDenoFolder(limits.folder)
  try {
    return await runIn(folder, run, limits)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** `localStorage` and `caches` need no permission; a plain file in place of their folder prevents any storage. */
async function makeDenoFolder(parent: string): Promise<string> {
  await requireFolder(parent, 0o700)
  const folder = await mkdtemp(join(parent, 'run-'))
  await writeFile(join(folder, 'location_data'), '')
  return folder
}

async function runIn(folder: string, run: ModuleRun, limits: DenoLimits): Promise<Outcome> {
  const { name, code, args, flags, cwd, env } = run
  const { deno, memoryMb, kill, onStderr } = limits
  const mark = randomBytes(16).toString('hex')
  const command = {
    command: deno,
    args: ['run', ...closed, `--v8-flags=--max-old-space-size=${memoryMb}`, ...flags, main],
    cwd,
    env: { ...env, DENO_DIR: folder },
  }
  // A module that may start processes is tracked, at some cost, so that they all end with it.
  const owned = flags.some((flag) => startsOthers.test(flag)) ? new OwnedProcess(command, kill) : undefined
  const child = owned?.child ?? start(command)
  const guard = guardRun(child.pid, name, limits)
  const output = readOutput(child.stdout, () =>
    guard.end('tool_failed', `Cannot use the result of ${name}: it has more than ${LIMIT_BYTES} bytes`),
  )
  const said = hearLines(child.stderr, onStderr)
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify({ url: urlOf(code), args, mark }))
  try {
    const exit = await new Promise<number | null>((done, fail) => child.on('error', fail).on('close', done))
    guard.requireWhole()
    return outcomeIn(output(), { name, mark, exit, said: said(), memoryMb })
  } catch (error) {
    if (error instanceof PmlError) throw error
    throw new PmlError(
      'missing_program',
      `Cannot start Deno at ${deno}: ${(error as Error).message}; set PML_DENO to its path`,
    )
  } finally {
    guard.close()
    await owned?.end(0)
  }
}

/** Ends a run at the time limit, at the memory limit or on cancellation. */
function guardRun(pid: number | undefined, name: string, { timeoutMs, memoryMb, signal, kill }: DenoLimits) {
  let reason: PmlError | undefined
  const end = (code: ErrorCode, message: string) => {
    reason ??= new PmlError(code, message)
    if (pid !== undefined) killGroup(kill, pid)
  }
  const late = () => end('tool_timeout', `Cannot finish ${name}: it took longer than ${timeoutMs / 1000} s`)
  const interrupt = () => end('cancelled', `Cannot finish ${name}: it was interrupted`)
  const onExceeded = () => end('tool_failed', tooMuchMemory(name, memoryMb))
  const timer = setTimeout(late, timeoutMs)
  const unwatch = watchMemory({ pid: pid ?? 0, limitMb: memoryMb, onExceeded })
  signal.addEventListener('abort', interrupt)
  if (signal.aborted) interrupt()
  return {
    end,
    requireWhole: () => {
      if (reason) throw reason
    },
    close: () => {
      clearTimeout(timer)
      unwatch()
      signal.removeEventListener('abort', interrupt)
      if (pid !== undefined) killGroup(kill, pid)
    },
  }
}

function tooMuchMemory(name: string, memoryMb: number): string {
  return `Cannot finish ${name}: it needs more than ${memoryMb} MB of memory`
}

function urlOf(code: string): string {
  return `data:application/typescript;base64,${Buffer.from(code).toString('base64')}`
}

const startsOthers = /^--allow-(?:run|ffi)/

function start({ command, args, cwd, env }: ProcessCommand) {
  return spawn(command, args, { cwd, env: { ...env }, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
}

/** Returns the whole output, or the first part of a too long one. */
function readOutput(stream: Readable, onTooLong: () => void): () => string {
  const parts: Buffer[] = []
  let length = 0
  stream.on('data', (bytes: Buffer) => {
    length += bytes.length
    if (length > LIMIT_BYTES) onTooLong()
    else parts.push(bytes)
  })
  return () => Buffer.concat(parts).toString('utf8')
}

/** Reports each line, and returns the last ones. */
function hearLines(stream: Readable, onLine: (line: string) => void): () => string {
  let end = ''
  const hear = (line: string) => {
    end = `${end}${line}\n`.slice(-4000)
    onLine(line)
  }
  const lines = splitLines({
    limitBytes: LINE_LIMIT_BYTES,
    onLine: (line) => hear(line.toString()),
    onLongLine: (head) => hear(`${head.toString()}…`),
  })
  stream.on('data', (bytes: Buffer) => lines.push(bytes)).once('end', () => lines.end())
  return () => end
}

function killGroup(kill: Kill, pid: number): void {
  try {
    kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

interface Ended {
  readonly name: string
  readonly mark: string
  readonly exit: number | null
  readonly said: string
  readonly memoryMb: number
}

function outcomeIn(output: string, { name, mark, exit, said, memoryMb }: Ended): Outcome {
  const at = output.lastIndexOf(`\n${mark}`)
  const [line = ''] = at < 0 ? [] : output.slice(at + 1 + mark.length).split('\n', 1)
  if (line !== '') return JSON.parse(line) as Outcome
  if (/out of memory|heap limit/i.test(said)) throw new PmlError('tool_failed', tooMuchMemory(name, memoryMb))
  throw new PmlError(
    'tool_failed',
    `Cannot finish ${name}: Deno exited with ${exit ?? 'a signal'} without a result`,
  )
}
