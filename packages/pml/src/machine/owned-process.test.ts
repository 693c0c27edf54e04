import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { kill, makeRoughFolder, roughServer, type RoughFolder } from '../../test/rough-folder.ts'
import { OwnedProcess } from './owned-process.ts'

const leaver = fileURLToPath(new URL('../../test/exit-with-server.ts', import.meta.url))
let folder: RoughFolder

beforeEach(async () => {
  folder = await makeRoughFolder()
})

afterEach(async () => {
  for (const pid of await folder.alive()) process.kill(pid, 'SIGKILL')
  await folder.remove()
})

test.each([
  ['by exiting', 5],
  ['by throwing', 1],
])('a process that ends %s takes its servers along, if it asks for it', async (way, code) => {
  expect(await leave(way)).toBe(code)
  expect(await folder.pids()).toHaveLength(4)
  // Nobody is left who could wait for the system to bury them.
  await expect.poll(() => folder.alive()).toEqual([])
})

test('and only then: servers are started so that they could outlive it', async () => {
  expect(await leave('carelessly')).toBe(5)
  expect(await folder.alive()).not.toEqual([])
})

async function leave(way: string): Promise<number> {
  const args = ['--conditions=pml-source', '--import', import.meta.resolve('tsx'), leaver, way, roughServer]
  const child = spawn(process.execPath, args, { cwd: folder.path, stdio: 'ignore' })
  const [code] = (await once(child, 'exit')) as [number]
  return code
}

test('what a process leaves behind when it exits ends with it', async () => {
  const script = `const { spawn } = require('node:child_process')
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', detached: true })
    require('node:fs').writeFileSync('pids', process.pid + ' ' + child.pid)
    child.unref()`
  const command = { command: process.execPath, args: ['-e', script], cwd: folder.path, env: {} }
  const owned = new OwnedProcess(command, kill)
  await owned.started()
  expect(await owned.exited).toEqual({ code: 0, signal: null })
  expect(await folder.pids()).toHaveLength(2)
  await expect.poll(() => folder.alive()).toEqual([])
})

test('a process that never started has nothing to end', async () => {
  const owned = new OwnedProcess({ command: 'no-such-program', args: [], cwd: folder.path, env: {} }, kill)
  await expect(owned.started()).rejects.toMatchObject({ code: 'ENOENT' })
  await owned.end(1000)
})
