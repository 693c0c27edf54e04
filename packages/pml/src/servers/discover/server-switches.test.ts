import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeProgram } from '../../../test/programs.ts'
import { openServerSwitches, serverSwitchesFileOf } from './server-switches.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pml-switches-'))
  file = serverSwitchesFileOf({ env: { XDG_STATE_HOME: folder }, platform: 'linux' })
})
afterEach(() => rm(folder, { recursive: true }))

describe('what a person switched', () => {
  it('is nothing at first', async () => {
    expect(await openServerSwitches(file).read()).toEqual(new Map())
    expect(await readdir(folder)).toEqual([])
  })

  it('can be read later, by its owner only', async () => {
    const switches = openServerSwitches(file)
    await switches.set('github', false)
    await switches.set('__proto__', false)
    await switches.set('files', true)
    await switches.set('github', true)
    await switches.set('github', false)
    expect(await openServerSwitches(file).read()).toEqual(
      new Map([
        ['__proto__', false],
        ['files', true],
        ['github', false],
      ]),
    )
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      version: 1,
      servers: { files: { enabled: true }, github: { enabled: false } },
    })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700)
    expect(await readdir(dirname(file))).toEqual(['servers.json'])
  })

  it.each([
    '',
    '{"version":1,"servers":{"github":{"ena',
    '[]',
    '{"version":2,"servers":{}}',
    '{"version":1}',
    '{"version":1,"servers":[]}',
    '{"version":1,"servers":{"github":null}}',
    '{"version":1,"servers":{"github":{"enabled":"no"}}}',
  ])('is never replaced if it cannot be read: %s', async (text) => {
    await mkdir(dirname(file))
    await writeFile(file, text)
    const switches = openServerSwitches(file)
    const refusal = {
      code: 'invalid_config',
      message: expect.stringMatching(/^Cannot read .*servers\.json: .*; fix it, or remove it/),
    }
    await expect(switches.read()).rejects.toMatchObject(refusal)
    await expect(switches.set('other', true)).rejects.toMatchObject(refusal)
    expect(await readFile(file, 'utf8')).toBe(text)
    expect(await readdir(dirname(file))).toEqual(['servers.json'])
  })

  it('survives that many processes switch at once', async () => {
    const program = await makeProgram('switch-writer')
    try {
      const [processes, each] = [8, 5]
      const names = (at: number) => Array.from({ length: each }, (_, index) => `server${at}-${index}`)
      const running = Array.from({ length: processes }, (_, at) => program.start([file, ...names(at)]))
      await Promise.all(running.map((one) => one.line()))
      for (const one of running) one.go()
      expect(await Promise.all(running.map((one) => one.ended))).toEqual(running.map(() => 0))
      expect((await openServerSwitches(file).read()).size).toBe(processes * each)
    } finally {
      await program.remove()
    }
  })
})
