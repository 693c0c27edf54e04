import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { placed, type Image } from './assemble-image.ts'

export interface Running {
  readonly url: string
  readonly port: string
  /** The server's output until now. */
  readonly lines: readonly string[]
  /** Runs a command beside the server, like a health check, and returns its exit code. */
  exec(command: readonly string[], env?: Readonly<Record<string, string>>): number | null
  /** Sends the signal and returns the exit code or the signal that ended it. */
  stop(signal: string): Promise<number | string | null>
}

type Ids = { uid?: number; gid?: number }

/** The account `node` of the official images. */
const NODE_USER = { uid: 1000, gid: 1000 }
const START_MS = 60_000

/** Starts the image's command with only the image's environment, and waits until it listens. */
export async function runImage(
  image: Image,
  { data, env }: { data: string; env: Readonly<Record<string, string>> },
): Promise<Running> {
  const ids = idsFor(image)
  mkdirSync(data, { recursive: true, mode: 0o700 })
  if (ids.uid !== undefined) chownSync(data, NODE_USER.uid, NODE_USER.gid)
  const own = Object.entries(image.env).map(([key, value]) => [key, placed(image.root, value)])
  const whole = { PATH: process.env['PATH'] ?? '', ...Object.fromEntries(own), PML_DATA_DIR: data, ...env }
  const cwd = join(image.root, image.workdir)
  const [file = '', ...args] = image.cmd
  const child = spawn(file, args, { cwd, env: whole, ...ids, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = new Promise<number | string | null>((done) =>
    child.once('exit', (code, signal) => done(code ?? signal)),
  )
  const lines: string[] = []
  const complaints: string[] = []
  child.stderr.on('data', (chunk) => complaints.push(String(chunk)))
  const listening = new Promise<string>((done) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line)
      const { msg, url } = JSON.parse(line)
      if (msg === 'listening') done(url)
    })
  })
  const tooLate = setTimeout(() => child.kill('SIGKILL'), START_MS)
  const outcome = await Promise.race([listening, exited])
  clearTimeout(tooLate)
  if (typeof outcome !== 'string' || !outcome.startsWith('http'))
    throw new Error(`It ended with ${outcome}\n${lines.join('\n')}\n${complaints.join('')}`)
  const { port } = new URL(outcome)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    lines,
    exec: ([program = '', ...rest], extra = {}) =>
      spawnSync(program, rest, { cwd, env: { ...whole, ...extra }, ...ids }).status,
    stop: (signal) => {
      child.kill(signal as NodeJS.Signals)
      return exited
    },
  }
}

/** Root becomes the image's user if that user can access Node and the files; other users are unprivileged anyway. */
function idsFor({ root, user, workdir }: Image): Ids {
  if (process.getuid?.() !== 0 || user !== 'node') return {}
  for (const folder of [root, dirname(root)]) chmodSync(folder, 0o755)
  const { status } = spawnSync('node', ['--version'], { ...NODE_USER, cwd: join(root, workdir) })
  return status === 0 ? NODE_USER : {}
}
