import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inspectTools, soon, startRough, still } from '../../../test/rough-supervision.ts'
import { logStatus, openServerLog, readServerLog, serverLogFile } from './server-log.ts'
import { superviseServer } from './supervise-server.ts'

const writer = fileURLToPath(new URL('../../../test/log-writer.ts', import.meta.url))
const now = () => new Date('2026-11-17T12:00:00Z')
let home: string
let file: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'server-log-'))
  file = serverLogFile(home, 'rough')
})

afterEach(() => rm(home, { recursive: true, force: true }))

test('a log has one line for each that was said, with its time, for its owner alone', async () => {
  const log = openServerLog({ file, now })
  log.say('no key, no service')
  log.note('offline: it exited\r\nwith code 3')
  log.say('x'.repeat(5000))
  await log.flush()
  expect(file).toBe(join(home, 'logs', 'rough.log'))
  const lines = (await readFile(file, 'utf8')).split('\n')
  expect(lines).toEqual([
    '2026-11-17T12:00:00.000Z stderr no key, no service',
    '2026-11-17T12:00:00.000Z pml offline: it exited with code 3',
    `2026-11-17T12:00:00.000Z stderr ${'x'.repeat(4000)}…`,
    '',
  ])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readServerLog(file, { lines: 2 })).toEqual(lines.slice(1, 3))
})

test('a missing log has no lines', async () => {
  expect(await readServerLog(file, { lines: 10 })).toEqual([])
})

test('a log grows to 1 MiB, and one old one is kept', async () => {
  const log = openServerLog({ file, now })
  for (let batch = 0; batch < 30; batch++) {
    for (let line = 0; line < 100; line++) log.say(`${batch}-${line} ${'x'.repeat(1000)}`)
    await log.flush()
  }
  expect((await readdir(join(home, 'logs'))).sort()).toEqual(['rough.log', 'rough.log.1'])
  for (const name of [file, `${file}.1`]) expect((await stat(name)).size).toBeLessThanOrEqual(1024 * 1024)
  const lines = await readServerLog(file, { lines: 1200 })
  expect(lines).toHaveLength(1200)
  expect(lines.at(0)).toContain('stderr 18-0 ')
  expect(lines.at(-1)).toContain('stderr 29-99 ')
})

test('lines that come too fast are counted and dropped', async () => {
  const log = openServerLog({ file, now })
  for (let line = 0; line < 5000; line++) log.say(`${line} ${'x'.repeat(1000)}`)
  await log.flush()
  const lines = await readServerLog(file, { lines: 5000 })
  expect(lines.length).toBeLessThan(300)
  expect(lines.at(-1)).toMatch(/pml \d+ lines were dropped because they came too fast$/)
})

test('a log that cannot be written is no failure', async () => {
  await mkdir(file, { recursive: true })
  const log = openServerLog({ file, now })
  log.say('lost')
  await log.flush()
  await expect(readServerLog(file, { lines: 1 })).rejects.toMatchObject({ code: 'file_failed' })
})

test('lines of several processes are whole', async () => {
  await mkdir(join(home, 'logs'))
  const options = ['--conditions=pml-source', '--import', import.meta.resolve('tsx')]
  const children = ['a', 'b', 'c'].map((name) =>
    spawn(process.execPath, [...options, writer, file, name], { stdio: 'inherit' }),
  )
  await Promise.all(children.map((child) => once(child, 'exit')))
  const lines = await readServerLog(file, { lines: 1000 })
  expect(lines).toHaveLength(600)
  for (const line of lines) {
    const [, index = ''] = /^\S+Z stderr [abc]-(\d+) x* end$/.exec(line) ?? []
    expect(line).toContain(` ${'x'.repeat(Number(index))} end`)
  }
})

test('events of a server are in its log', async () => {
  const server = superviseServer({
    name: 'rough',
    start: (signal) => startRough({ manner: 'good', cwd: home }, signal),
    inspect: inspectTools,
    timing: still,
    now,
  })
  const log = openServerLog({ file, now })
  const stop = logStatus(server, log)
  await server.open(soon.signal)
  await server.check(soon.signal)
  await server.close(0)
  stop()
  await log.flush()
  expect(await readServerLog(file, { lines: 10 })).toEqual([
    '2026-11-17T12:00:00.000Z pml offline: it is being started',
    '2026-11-17T12:00:00.000Z pml ready',
    '2026-11-17T12:00:00.000Z pml offline: it is closed',
  ])
})
