import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pidOf, stopProcess } from '../child-process.ts'
import { root } from '../root.ts'
import type { Running } from '../running.ts'
import type { Stops } from '../stops.ts'
import { makeTempFolder } from '../temp-folder.ts'

export interface Registry extends Running {
  readonly adminKey: string
}

/** Starts the built server as users do, with only these files of `config/`, on its own or the given database. */
export async function startRegistry(
  stops: Stops,
  {
    databaseUrl,
    configFiles = [],
    env = {},
  }: { databaseUrl?: string; configFiles?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
): Promise<Registry> {
  const folder = await makeTempFolder(stops)
  await mkdir(join(folder, 'config'))
  // A registry without these two is not ready.
  await writeFile(join(folder, 'config', 'approvals.json'), '{}')
  await writeFile(join(folder, 'config', 'mcp-servers.json'), '{"mcpServers":{}}')
  for (const name of configFiles) await copyFile(join(root, 'config', name), join(folder, 'config', name))
  const adminKey = `pml_bench_${randomBytes(16).toString('hex')}`
  const child = spawn(process.execPath, [join('apps', 'server', 'dist', 'main.js')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 2],
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      PML_DATA_DIR: join(folder, 'data'),
      PML_CONFIG_DIR: join(folder, 'config'),
      PML_ADMIN_KEY: adminKey,
      DATABASE_URL: databaseUrl ?? '',
      PML_WRITES_PER_MINUTE: '10000000',
      ...env,
    },
  })
  stops.add(() => stopProcess(child))
  return { url: await listening(child), pid: pidOf(child), adminKey }
}

/** The log is read to its end, so that the server never waits for space in the pipe. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('exit', (code) => fail(new Error(`Cannot start the registry: it exited with ${code}`)))
    if (!child.stdout) return
    createInterface(child.stdout).on('line', (line) => {
      const { msg, url } = JSON.parse(line) as { msg?: string; url?: string }
      if (msg === 'listening' && url !== undefined) done(url)
    })
  })
}
