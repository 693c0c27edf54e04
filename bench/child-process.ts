import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const STOP_TIMEOUT_MS = 20_000

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await gone
  clearTimeout(timer)
}

export function pidOf({ pid, spawnfile }: ChildProcess): number {
  if (pid === undefined) throw new Error(`Cannot start ${spawnfile}`)
  return pid
}

/** Starts another program of the bench as a child process, which ends with this one. */
export function forkProgram(program: URL): ChildProcess {
  return fork(fileURLToPath(program), {
    execArgv: ['--conditions=pml-source', '--import', 'tsx'],
    serialization: 'advanced',
    stdio: ['ignore', 2, 2, 'ipc'],
  })
}

/** Sends a message and waits for the response. */
export async function ask(child: ChildProcess, message: object): Promise<unknown> {
  const ending = new AbortController()
  const { signal } = ending
  try {
    const answer = once(child, 'message', { signal })
    const exit = once(child, 'exit', { signal }).then(() => {
      throw new Error(`${child.spawnargs.at(-1)} ended before it answered`)
    })
    child.send(message)
    const [value] = await Promise.race([answer, exit])
    return value
  } finally {
    ending.abort()
  }
}
