import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { PmlError } from '@pml/core'
import type { Logger } from 'pino'
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts'
import { findUnprivileged, type Unprivileged } from './unprivileged.ts'

interface EmbeddedPostgres {
  readonly url: string
  stop(): Promise<void>
}

interface Cluster {
  readonly folder: string
  readonly passwordFile: string
  readonly binaries: PostgresBinaries
  readonly user: Unprivileged | undefined
  readonly log: Logger
}

const USER = 'pml'
const START_ATTEMPTS = 5
const RESTART_DELAY_MS = 500
const STOP_TIMEOUT_MS = 20_000

/** Runs Postgres and stops it with SIGINT when descriptor 3 closes, which happens even if the server gets SIGKILL. */
const LIFELINE = `
"$@" </dev/null 3<&- & postgres=$!
{ read -r _ <&3; kill -INT $postgres; } 2>/dev/null & lifeline=$!
wait $postgres; status=$?
kill $lifeline 2>/dev/null
exit $status`

/** Starts Postgres on the data directory and restarts it until `stop`. The caller must hold the directory's lock. */
export async function startEmbeddedPostgres({
  dataDir,
  log,
}: {
  dataDir: string
  log: Logger
}): Promise<EmbeddedPostgres> {
  const cluster = await prepare(resolve(dataDir), log)
  await stopLeftover(cluster)
  if (!existsSync(join(cluster.folder, 'PG_VERSION'))) await initialise(cluster)
  const password = await readFile(cluster.passwordFile, 'utf8')
  return supervise(cluster, (port) => `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`)
}

async function prepare(dataDir: string, log: Logger): Promise<Cluster> {
  const binaries = await findPostgresBinaries()
  const folder = join(dataDir, 'postgres')
  await mkdir(dataDir, { recursive: true })
  const asRoot = process.getuid?.() === 0
  const user = asRoot ? findUnprivileged({ owned: folder, needed: [folder, binaries.postgres] }) : undefined
  return { folder, passwordFile: join(dataDir, 'postgres-password'), binaries, user, log }
}

/** Creates the cluster in a temporary folder and renames it, so that an interrupted start can be repeated. */
async function initialise(cluster: Cluster): Promise<void> {
  const unfinished = `${cluster.folder}.new`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  const password = randomBytes(24).toString('hex')
  await writeFile(cluster.passwordFile, password, { mode: 0o600 })
  const handedOver = `${cluster.folder}.password`
  await writeFile(handedOver, password, { mode: 0o600 })
  if (cluster.user) {
    for (const path of [unfinished, handedOver]) await chown(path, cluster.user.uid, cluster.user.gid)
  }
  const flags = [
    '-D',
    unfinished,
    '-U',
    USER,
    '--auth=scram-sha-256',
    `--pwfile=${handedOver}`,
    '--encoding=UTF8',
    '--locale=C',
  ]
  await runToEnd(cluster, [cluster.binaries.initdb, ...flags]).finally(() => rm(handedOver, { force: true }))
  await rename(unfinished, cluster.folder)
}

async function runToEnd(cluster: Cluster, command: string[]): Promise<void> {
  const child = spawnAs(cluster, command, ['ignore', 'ignore', 'pipe'])
  let stderrText = ''
  child.stderr?.on('data', (chunk) => (stderrText += chunk))
  const code = await exitOf(child)
  if (code !== 0)
    throw new PmlError(
      'unavailable',
      `Cannot create the embedded database: initdb exited with ${code}: ${stderrText.trim().slice(-500)}`,
    )
}

async function supervise(cluster: Cluster, urlOf: (port: number) => string): Promise<EmbeddedPostgres> {
  let { child, port } = await startOnFreePort(cluster)
  let stopping = false
  const isStopping = () => stopping
  const keepUp = async () => {
    for (;;) {
      const code = await exitOf(child)
      if (isStopping()) return
      cluster.log.error({ code }, 'the embedded Postgres stopped; starting it again')
      const restarted = await restart(cluster, port, isStopping)
      if (restarted === undefined) return
      child = restarted
      if (isStopping()) lifelineOf(child)?.destroy()
    }
  }
  const supervision = keepUp()
  return {
    url: urlOf(port),
    stop: async () => {
      stopping = true
      lifelineOf(child)?.destroy()
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
      await supervision
      clearTimeout(timer)
    },
  }
}

async function startOnFreePort(cluster: Cluster): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      return { child: await start(cluster, port), port }
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error
    }
  }
}

/** Retries until the server stops; cached reads work meanwhile. */
async function restart(
  cluster: Cluster,
  port: number,
  isStopping: () => boolean,
): Promise<ChildProcess | undefined> {
  while (!isStopping()) {
    await new Promise((done) => setTimeout(done, RESTART_DELAY_MS))
    try {
      await stopLeftover(cluster)
      return await start(cluster, port)
    } catch (error) {
      cluster.log.error({ err: error }, 'the embedded Postgres did not start')
    }
  }
  return undefined
}

/** Resolves when Postgres accepts connections. */
async function start(cluster: Cluster, port: number): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 60,
    timezone: 'UTC',
    log_timezone: 'UTC',
  }
  const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const postgres = [cluster.binaries.postgres, '-D', cluster.folder, ...flags]
  const command = process.platform === 'win32' ? postgres : ['/bin/sh', '-c', LIFELINE, 'sh', ...postgres]
  const child = spawnAs(cluster, command, ['ignore', 'ignore', 'pipe', 'pipe'])
  lifelineOf(child)?.on('error', () => {})
  let last = ''
  const ready = new Promise<void>((done) => {
    if (!child.stderr) return
    createInterface(child.stderr).on('line', (line) => {
      last = line
      cluster.log.debug({ postgres: line }, 'postgres')
      if (line.includes('database system is ready to accept connections')) done()
    })
  })
  const outcome = await Promise.race([ready, exitOf(child)])
  if (outcome === undefined && child.exitCode === null) return child
  throw new PmlError('unavailable', `Cannot start the embedded Postgres in ${cluster.folder}: ${last}`)
}

/** Spawns in a separate session, so that Ctrl-C reaches only the server, which then stops Postgres cleanly. */
function spawnAs({ user }: Cluster, command: string[], stdio: ('ignore' | 'pipe')[]): ChildProcess {
  const [file = '', ...args] = [...(user?.prefix ?? []), ...command]
  const ids = user && user.prefix.length === 0 ? { uid: user.uid, gid: user.gid } : {}
  return spawn(file, args, {
    stdio,
    detached: true,
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
    cwd: '/',
    ...ids,
  })
}

function lifelineOf(child: ChildProcess) {
  return child.stdio[3]
}

function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((done, fail) => {
    child.once('exit', done)
    child.once('error', fail)
  })
}

/** Stops a Postgres that outlived its server, before another one starts. */
async function stopLeftover({ folder, log }: Cluster): Promise<void> {
  const pidFile = join(folder, 'postmaster.pid')
  const [pid, dataFolder] = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n')
  if (!pid || dataFolder !== folder || !isRunning(Number(pid)) || !commandOf(Number(pid)).includes(folder))
    return
  log.warn({ pid: Number(pid) }, 'stopping a Postgres that an earlier server left behind')
  process.kill(Number(pid), 'SIGINT')
  const deadline = Date.now() + STOP_TIMEOUT_MS
  while (isRunning(Number(pid)) && existsSync(pidFile)) {
    if (Date.now() > deadline)
      throw new PmlError(
        'unavailable',
        `Cannot stop the Postgres of an earlier start (process ${pid}); stop it by hand`,
      )
    await new Promise((done) => setTimeout(done, 20))
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Returns the command line of a process: a stale pid file may name an unrelated process. */
function commandOf(pid: number): string {
  if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  return spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' }).stdout
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer().once('error', fail)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? done(address.port) : fail(new Error('no port')),
      )
    })
  })
}
