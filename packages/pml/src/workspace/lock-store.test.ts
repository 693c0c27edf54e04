import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { emptyWorkspaceConfig, parseLockfile, printLockfile } from '@pml/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { entryOf, generation } from '../../test/lock-entries.ts'
import { makeProgram, type Running, type TestProgram } from '../../test/programs.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'
import { workspaceFilesOf } from './workspace-files.ts'
import { openLockStore } from './lock-store.ts'

let program: TestProgram
let workspace: TestWorkspace
let started: Running[]

beforeAll(async () => {
  program = await makeProgram('lock-writer')
})
afterAll(() => program.remove())
beforeEach(async () => {
  started = []
  workspace = await makeWorkspace('http://127.0.0.1:9')
})
afterEach(async () => {
  await Promise.all(started.map((running) => running.kill()))
  await workspace.remove()
})

function start(way: string, number: number, root = workspace.root): Running {
  const running = program.start([way, root, String(number)])
  started.push(running)
  return running
}

const state = (root = workspace.root) => join(root, '.pml')
const leftovers = async (root?: string) =>
  (await readdir(state(root))).filter((name) => name.endsWith('.tmp'))

function openStore() {
  return openLockStore({
    files: workspaceFilesOf(workspace.root),
    config: { read: async () => emptyWorkspaceConfig },
    isFrozen: false,
    tell: () => {},
  })
}

describe('a writer that is killed', () => {
  const KILLS = 200
  const LANES = 4

  it('leaves the old file or the new one, byte for byte, 200 times at random moments', async () => {
    const lanes = Array.from({ length: LANES }, async (_, lane) => {
      const root = join(workspace.root, `lane${lane}`)
      let [at, interrupted] = [0, 0]
      for (let kill = 0; kill < KILLS / LANES; kill++) {
        const known = (await leftovers(root).catch(() => [])).length
        const next = at + 1
        const running = start('for ever', next, root)
        let written = Number(await running.line())
        expect(written).toBe(next)
        await delay(Math.random() * 25)
        await running.kill()
        for (let line = await running.line(); line !== undefined; line = await running.line())
          written = Number(line)
        const text = await readFile(join(state(root), 'mcp.lock'), 'utf8')
        const [old, fresh] = [written, written + 1].map((one) => printLockfile(generation(one)))
        expect([old, fresh].indexOf(text), `what is there after ${written} was written`).not.toBe(-1)
        at = text === old ? written : written + 1
        expect(parseLockfile(text, 'mcp.lock')).toEqual(generation(at))
        if ((await leftovers(root)).length > known) interrupted++
        // Nobody else writes here, so nobody has to wait for a sign of life.
        await rm(join(state(root), 'mcp.lock.held'), { recursive: true, force: true })
      }
      return interrupted
    })
    const interrupted = (await Promise.all(lanes)).reduce((sum, count) => sum + count, 0)
    expect(interrupted, 'kills in the middle of a write').toBeGreaterThan(KILLS / 10)
  })

  it('leaves a file beside it that a later writer removes once it is old', async () => {
    const store = openStore()
    await store.update(() => generation(1))
    const [old, fresh] = ['0123456789abcdef', 'fedcba9876543210'].map((word) =>
      join(state(), `mcp.lock.${word}.tmp`),
    ) as [string, string]
    const others = ['mcp.lock.mine.tmp', 'notes.tmp', 'deps.json.0123456789abcdef.tmp']
    for (const path of [old, fresh, ...others.map((name) => join(state(), name))]) await writeFile(path, 'x')
    const before = Date.now() / 1000 - 3600
    for (const path of [old, ...others.map((name) => join(state(), name))]) await utimes(path, before, before)
    await store.update(() => generation(2))
    expect((await leftovers()).sort()).toEqual([...others, 'mcp.lock.fedcba9876543210.tmp'].sort())
  })
})

describe('many processes that write at once', () => {
  const MANY = 50
  const numbers = Array.from({ length: MANY }, (_, number) => number)
  const endAll = async (way: string) => {
    const all = numbers.map((number) => start(way, number))
    await Promise.all(all.map((running) => running.line()))
    for (const running of all) running.go()
    return Promise.all(all.map(({ ended }) => ended))
  }
  const allWell = numbers.map(() => 0)

  it('each add their entry, and none is lost', async () => {
    expect(await endAll('one entry')).toEqual(allWell)
    const lockfile = parseLockfile((await workspace.readLock()) ?? '', 'mcp.lock')
    expect([...lockfile.entries.keys()].sort()).toEqual(numbers.map((number) => entryOf(number).name).sort())
    expect(await readdir(state())).toEqual(['mcp.lock'])
  })

  it('each add their rule, and none is lost', async () => {
    expect(await endAll('one rule')).toEqual(allWell)
    const { permissions } = JSON.parse(await readFile(join(workspace.root, '.pml.json'), 'utf8')) as {
      permissions: { allow: string[] }
    }
    expect(permissions.allow.sort()).toEqual(numbers.map((number) => `text:tool${number}`).sort())
  })

  it('each add their dependency, and none is lost', async () => {
    expect(await endAll('one dependency')).toEqual(allWell)
    const { dependencies } = JSON.parse(await readFile(join(state(), 'deps.json'), 'utf8')) as {
      dependencies: Record<string, { commandLine: string }>
    }
    expect(
      Object.values(dependencies)
        .map(({ commandLine }) => commandLine)
        .sort(),
    ).toEqual(numbers.map((number) => `run ${number}`).sort())
  })

  it('get through together where a process died with the lock, and none is lost', async () => {
    const holder = start('stops inside', 100)
    expect(await holder.line()).toBe('inside')
    await holder.kill()
    expect(await readdir(state())).toEqual(['mcp.lock.held'])
    const long = Date.now() / 1000 - 60
    await utimes(join(state(), 'mcp.lock.held'), long, long)
    expect(await endAll('one entry')).toEqual(allWell)
    expect(parseLockfile((await workspace.readLock()) ?? '', 'mcp.lock').entries.size).toBe(MANY)
    expect(await readdir(state())).toEqual(['mcp.lock'])
  })
})

describe('a process that holds the lock', () => {
  it('and dies is not waited for for ever', async () => {
    const holder = start('stops inside', 1)
    expect(await holder.line()).toBe('inside')
    await holder.kill()
    await openStore().update(() => generation(1))
    expect(await workspace.readLock()).toBe(printLockfile(generation(1)))
  })

  it('and sleeps too long writes nothing over what others wrote meanwhile', async () => {
    const sleeper = start('stops inside', 1)
    expect(await sleeper.line()).toBe('inside')
    const other = start('one entry', 2)
    other.go()
    expect(await other.ended).toBe(0)
    sleeper.child.kill('SIGCONT')
    expect(await sleeper.ended).toBe(0)
    const { entries } = parseLockfile((await workspace.readLock()) ?? '', 'mcp.lock')
    expect([...entries.keys()].sort()).toEqual([entryOf(1).name, entryOf(2).name])
  })

  it('is waited for as long as it lives', async () => {
    await mkdir(state())
    const sleeper = start('stops inside', 1)
    expect(await sleeper.line()).toBe('inside')
    const waiting = start('one entry', 2)
    waiting.go()
    // It has its reasons to believe that the other one lives.
    const beat = setInterval(() => {
      const now = Date.now() / 1000
      void utimes(join(state(), 'mcp.lock.held'), now, now).catch(() => undefined)
    }, 500)
    const first = await Promise.race([waiting.ended, delay(7000, 'waits')])
    clearInterval(beat)
    expect(first).toBe('waits')
    sleeper.child.kill('SIGCONT')
    expect([await sleeper.ended, await waiting.ended]).toEqual([0, 0])
  })
})
