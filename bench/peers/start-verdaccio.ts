import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pidOf, stopProcess } from '../child-process.ts'
import type { Running } from '../running.ts'
import type { Stops } from '../stops.ts'
import { makeTempFolder } from '../temp-folder.ts'
import { installVerdaccio } from './install-verdaccio.ts'
import { PACKAGE, packument } from './packument.ts'

const START_TIMEOUT_MS = 60_000
const POLL_MS = 100

/** Verdaccio with one package in its storage and no upstream; its package is at `/<PACKAGE>`. */
export async function startVerdaccio(
  sizeBytes: number,
  { stops, tell }: { stops: Stops; tell: (text: string) => void },
): Promise<Running> {
  const program = await installVerdaccio(tell)
  const folder = await makeTempFolder(stops)
  await mkdir(join(folder, 'storage', PACKAGE), { recursive: true })
  await writeFile(join(folder, 'storage', PACKAGE, 'package.json'), JSON.stringify(packument(sizeBytes)))
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(settings(folder)))
  const url = `http://127.0.0.1:${await freePort()}`
  const child = spawn(process.execPath, [program, '--config', 'config.yaml', '--listen', url], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 2],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, NODE_ENV: 'production', NODE_NO_WARNINGS: '1' },
  })
  stops.add(() => stopProcess(child))
  await answering(`${url}/${PACKAGE}`)
  return { url, pid: pidOf(child) }
}

/** JSON is valid YAML. */
function settings(folder: string): object {
  return {
    storage: join(folder, 'storage'),
    uplinks: {},
    packages: { '**': { access: '$all' } },
    web: { enable: false },
    log: { type: 'stdout', format: 'json', level: 'fatal' },
  }
}

async function answering(url: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  while (performance.now() < deadline) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await sleep(POLL_MS)
  }
  throw new Error('Cannot start verdaccio: it does not answer')
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer().once('error', fail)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => done(port))
    })
  })
}
