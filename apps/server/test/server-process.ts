import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { rootDir, serverProgram } from './paths.ts'

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  readonly lines: string[]
  readonly child: ChildProcess
  readonly exited: Promise<number | null>
  stop(): Promise<number | null>
}

/** Starts the shipped program in its own process. */
export async function startServer(
  env: Record<string, string>,
  prefix: string[] = [],
): Promise<ServerProcess> {
  const { child, lines, exited } = spawnServer(env, prefix)
  const url = await listeningUrl(child, lines, exited)
  if (child.pid === undefined) throw new Error('the server has no pid')
  return {
    url,
    pid: child.pid,
    lines,
    child,
    exited,
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
  }
}

export function spawnServer(env: Record<string, string>, prefix: string[] = []) {
  const [file = '', ...args] = [...prefix, process.execPath, serverProgram]
  const child = spawn(file, args, {
    cwd: rootDir,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', (line) => lines.push(line))
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  return { child, lines, exited }
}

async function listeningUrl(
  child: ChildProcess,
  lines: string[],
  exited: Promise<number | null>,
): Promise<string> {
  const failed = exited.then((code) => {
    throw new Error(`the server exited with ${code}:\n${lines.join('\n')}`)
  })
  for (;;) {
    const line = lines.find((text) => text.includes('"msg":"listening"'))
    if (line) return JSON.parse(line).url
    if (!child.stdout) throw new Error('the server has no stdout')
    await Promise.race([once(child.stdout, 'data'), failed])
    await new Promise((done) => setImmediate(done))
  }
}
