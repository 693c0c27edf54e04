import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { PmlError } from '@pml/core'
import type { Kill } from '../../ops.ts'

/** One run of a module in a Deno process of its own. */
export interface ModuleRun {
  /** What messages call it. */
  readonly name: string
  readonly code: string
  /** Undefined: the module is only loaded, to say which permissions it declares. */
  readonly args: Readonly<Record<string, unknown>> | undefined
  /** `--allow-…` and `--deny-…`; without any the module can only compute. */
  readonly flags: readonly string[]
  readonly cwd: string
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
}

export interface DenoLimits {
  readonly deno: string
  readonly timeoutMs: number
  readonly memoryMb: number
  readonly signal: AbortSignal
  readonly kill: Kill
  onStderr(text: string): void
}

export type Outcome =
  | { readonly permissions: unknown }
  | { readonly result: unknown }
  | { readonly error: { readonly name: string; readonly message: string; readonly stack: string } }

const main = fileURLToPath(new URL('./deno-main.js', import.meta.url))
const LIMIT_BYTES = 16 * 1024 * 1024
/** Nothing is asked, nothing is loaded from anywhere, no configuration of the workspace is looked at. */
const closed = [
  '--quiet',
  '--no-prompt',
  '--no-remote',
  '--no-npm',
  '--no-config',
  '--no-lock',
  '--cached-only',
]

export async function runModule(run: ModuleRun, limits: DenoLimits): Promise<Outcome> {
  const { name, code, args, flags, cwd, env } = run
  const mark = randomBytes(16).toString('hex')
  const { deno, timeoutMs, memoryMb, signal, kill, onStderr } = limits
  const child = spawn(
    deno,
    ['run', ...closed, `--v8-flags=--max-old-space-size=${memoryMb}`, ...flags, main],
    { cwd, env: { ...env }, detached: true, stdio: ['pipe', 'pipe', 'pipe'] },
  )
  let reason: PmlError | undefined
  const end = (why?: PmlError) => {
    reason ??= why
    if (child.pid !== undefined) killGroup(kill, child.pid)
  }
  const timer = setTimeout(
    () =>
      end(new PmlError('tool_timeout', `Cannot finish ${name}: it took longer than ${timeoutMs / 1000} s`)),
    timeoutMs,
  )
  const interrupt = () => end(new PmlError('cancelled', `Cannot finish ${name}: it was interrupted`))
  signal.addEventListener('abort', interrupt)
  if (signal.aborted) interrupt()
  const output: Buffer[] = []
  let length = 0
  child.stdout.on('data', (bytes: Buffer) => {
    length += bytes.length
    if (length > LIMIT_BYTES)
      end(
        new PmlError(
          'tool_failed',
          `Cannot use the result of ${name}: it has more than ${LIMIT_BYTES} bytes`,
        ),
      )
    else output.push(bytes)
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000)
    onStderr(text)
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify({ url: urlOf(code), args, mark }))
  try {
    const exit = await new Promise<number | null>((done, fail) => child.on('error', fail).on('close', done))
    if (reason) throw reason
    return outcomeIn(Buffer.concat(output).toString('utf8'), { name, mark, exit, said, memoryMb })
  } catch (error) {
    if (error instanceof PmlError) throw error
    throw new PmlError(
      'missing_program',
      `Cannot start Deno at ${deno}: ${(error as Error).message}; set PML_DENO to its path`,
    )
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', interrupt)
    // What the module started itself, where it was granted to, goes with it.
    end()
  }
}

/** The same for the same code, so that Deno keeps what it learns about it once and not for every run. */
function urlOf(code: string): string {
  return `data:application/typescript;base64,${Buffer.from(code).toString('base64')}`
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
  if (/out of memory|heap limit/i.test(said))
    throw new PmlError('tool_failed', `Cannot finish ${name}: it needs more than ${memoryMb} MB of memory`)
  throw new PmlError(
    'tool_failed',
    `Cannot finish ${name}: Deno ended with ${exit ?? 'a signal'} before it gave a result`,
  )
}
