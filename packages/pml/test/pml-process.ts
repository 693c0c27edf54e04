import { spawn } from 'node:child_process'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { writeCommands } from '../../../scripts/write-commands.mjs'
import { memoTools } from '../../tools/test/memo-tools.ts'
import { createProgram, reservedWords } from '../src/cli/program.ts'

type Offering = Parameters<typeof writeCommands>[0]['tools']

/** A hanging process must not outlive its test. */
const LONGEST_RUN_MS = 60_000

const source = fileURLToPath(new URL('..', import.meta.url))

export interface Outcome {
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Record<string, string>
  readonly cwd?: string
  readonly stdin?: string | Uint8Array
  /** Replaces `stdin` for commands that keep running. */
  readonly feed?: (stdin: Writable) => void
  readonly nodeArgs?: readonly string[]
  /** The user to run as, if this process is root. */
  readonly uid?: number | undefined
  /** The longest file that it may write: longer writes fail as on a full disk. */
  readonly longestFileKb?: number
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

/** The built command with a different set of registry tools, in its own folder. */
export interface InstalledPml {
  readonly folder: string
  run(argv: readonly string[], options?: RunOptions): Promise<Outcome>
  remove(): Promise<void>
}

export async function installPml(tools: Offering = memoTools()): Promise<InstalledPml> {
  const folder = await mkdtemp(join(tmpdir(), 'pml-command-'))
  for (const part of ['bin', 'bundle', 'package.json'])
    await cp(join(source, part), join(folder, part), { recursive: true })
  await symlink(join(source, 'node_modules'), join(folder, 'node_modules'))
  await writeCommands({
    tools,
    folder: join(folder, 'bundle', 'commands'),
    reservedWords,
    flags: createProgram('', []).flags.map(({ flag }) => flag),
  })
  return {
    folder,
    run: (argv, request) => runPml(join(folder, 'bin', 'pml.js'), argv, { cwd: folder, ...request }),
    remove: () => rm(folder, { recursive: true }),
  }
}

/** Starts a command that keeps running. */
export interface RunningPml {
  kill(signal: NodeJS.Signals): void
  readonly outcome: Promise<Outcome>
}

export function runPml(bin: string, argv: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return startPml(bin, argv, options).outcome
}

/** Runs with only the environment that Node needs. Aborting sends Ctrl-C. */
export function startPml(
  bin: string,
  argv: readonly string[],
  {
    env = {},
    cwd,
    stdin,
    feed,
    nodeArgs = [],
    signal,
    uid,
    longestFileKb,
    timeoutMs = LONGEST_RUN_MS,
  }: RunOptions = {},
): RunningPml {
  const { PATH = '' } = process.env
  const line = [process.execPath, ...nodeArgs, bin, ...argv]
  // POSIX counts in units of 512 bytes.
  const limited = ['sh', '-c', `ulimit -f ${2 * (longestFileKb ?? 0)}; exec "$@"`, 'sh', ...line]
  const [command = '', ...args] = longestFileKb === undefined ? line : limited
  const child = spawn(command, args, {
    cwd,
    ...(uid !== undefined && { uid, gid: uid }),
    env: { PATH, ...env },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  const [out, told]: [string[], string[]] = [[], []]
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => told.push(text))
  child.stdin.on('error', () => {})
  if (stdin !== undefined) child.stdin.end(stdin)
  feed?.(child.stdin)
  signal?.addEventListener('abort', () => child.kill('SIGINT'))
  const outcome = new Promise<Outcome>((done, fail) => {
    child.on('error', fail)
    child.on('close', (exit) => done({ exit, stdout: out.join(''), stderr: told.join('') }))
  })
  return { kill: (name) => void child.kill(name), outcome }
}
