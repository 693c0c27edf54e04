import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeRoughFolder, roughServer, type RoughFolder } from '../../test/rough-folder.ts'

const program = fileURLToPath(new URL('../../test/die-with-servers.ts', import.meta.url))
let folder: RoughFolder

beforeEach(async () => {
  folder = await makeRoughFolder()
})

afterEach(async () => {
  for (const pid of await folder.alive()) process.kill(pid, 'SIGKILL')
  await folder.remove()
})

function run(way: string, manners: readonly string[]) {
  const options = ['--conditions=pml-source', '--import', import.meta.resolve('tsx')]
  const args = [...options, program, way, roughServer, ...manners]
  return spawn(process.execPath, args, { cwd: folder.path, stdio: ['ignore', 'pipe', 'inherit'] })
}

/** The processes that watch over whoever started the servers in the folder. */
async function findWatches(): Promise<string[]> {
  const [pid = 0] = await folder.pids()
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
  const [mark] = /PML_PROCESS_MARK=[\w-]+/.exec(environment) ?? ['no mark']
  return watchesOf(mark)
}

async function watchesOf(mark: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    pids.map(async (pid) => [pid, await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')] as const),
  )
  return lines.filter(([, line]) => line.includes('pml-watch') && line.includes(mark)).map(([pid]) => pid)
}

async function socketsOf(pid: string): Promise<string[]> {
  const folder = `/proc/${pid}/fd`
  const links = await Promise.all((await readdir(folder)).map((name) => readlink(`${folder}/${name}`)))
  return links.filter((link) => link.startsWith('socket:'))
}

test('whoever is killed takes its servers along, wherever they went and whatever they ignore', async () => {
  const child = run('killed', ['stubborn', 'family', 'good'])
  await once(child.stdout, 'data')
  expect(await folder.alive()).toHaveLength(6)
  const watches = await findWatches()
  expect(watches).toHaveLength(1)
  expect(await socketsOf(watches[0] ?? '')).toHaveLength(1)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await expect.poll(() => folder.alive()).toEqual([])
  await expect.poll(() => watchesOf('')).not.toEqual(expect.arrayContaining(watches))
})

test('whoever ends by itself is its own watch: nothing is killed', async () => {
  const child = run('by exiting', ['family', 'stubborn'])
  const [code] = (await once(child, 'exit')) as [number]
  expect(code).toBe(5)
  await expect.poll(findWatches).toEqual([])
  expect(await folder.alive()).toHaveLength(5)
})

test('the watcher keeps no process alive', async () => {
  const child = run('by closing', ['good', 'good'])
  const [code] = (await once(child, 'exit')) as [number]
  expect(code).toBe(0)
  expect(await folder.alive()).toEqual([])
})
