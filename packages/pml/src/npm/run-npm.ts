import { startLimit } from '../machine/limit.ts'
import { OwnedProcess, type Kill } from '../machine/owned-process.ts'

/** How to start npm on this machine. */
export interface Npm {
  readonly command: string
  readonly args: readonly string[]
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>
}

interface NpmRun {
  readonly cwd: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly kill: Kill
}

/** Why npm failed: its own code, such as `E404`, and its own words. */
export interface NpmFailure {
  readonly code: string
  readonly reason: string
}

const KEPT_CHARACTERS = 64 * 1024

/**
 * Runs npm without a shell, and leaves none of its processes. Gives why it failed, if it did: a code of npm's, of the system (`ENOENT`
 * when there is no npm), or `CANCELLED` or `TIMEOUT` when it was ended from here.
 */
export async function runNpm(
  npm: Npm,
  args: readonly string[],
  { cwd, signal, timeoutMs, kill }: NpmRun,
): Promise<NpmFailure | undefined> {
  const limit = startLimit(signal, timeoutMs)
  const owned = new OwnedProcess({ ...npm, args: [...npm.args, ...args, '--json'], cwd }, kill)
  const { child } = owned
  const endIt = () => void owned.end(0)
  limit.signal.addEventListener('abort', endIt, { once: true })
  const [printed, said] = [keepText(child.stdout), keepText(child.stderr)]
  try {
    await owned.started()
    child.stdin.on('error', () => {}).end()
    if (limit.signal.aborted) endIt()
    const { code } = await owned.exited
    const texts = await Promise.all([printed, said])
    await owned.end(0)
    if (limit.ending !== undefined) return endedHere(limit.ending, timeoutMs)
    return code === 0 ? undefined : failureIn(...texts)
  } catch (error) {
    const { code = 'UNKNOWN', message } = error as NodeJS.ErrnoException
    return { code, reason: message }
  } finally {
    limit.clear()
  }
}

function keepText(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  stream.setEncoding('utf8').on('data', (more: string) => (text = (text + more).slice(0, KEPT_CHARACTERS)))
  return new Promise((resolve) => stream.once('close', () => resolve(text)))
}

function endedHere(ending: 'cancelled' | 'timeout', timeoutMs: number): NpmFailure {
  if (ending === 'cancelled') return { code: 'CANCELLED', reason: 'it was cancelled' }
  return { code: 'TIMEOUT', reason: `npm did not finish within ${timeoutMs} ms` }
}

/** With --json npm prints `{error: {code, summary, detail}}`; when it fails before that, only words. */
function failureIn(printed: string, said: string): NpmFailure {
  const { code, summary } = findError(printed) ?? {}
  const words = usefulLines(said)
  return {
    code: code ?? /\bcode (E\w+)/.exec(said)?.[1] ?? 'UNKNOWN',
    reason: usefulLines(summary ?? '')[0] ?? words[0] ?? 'it said nothing',
  }
}

function findError(printed: string): { code?: string; summary?: string } | undefined {
  try {
    const { error } = JSON.parse(printed.slice(printed.indexOf('{'))) as { error?: object }
    return error
  } catch {
    return undefined
  }
}

function usefulLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim())
  return lines.filter((line) => line !== '' && !/^npm warn|^code E|complete log/i.test(line))
}
