import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hookedProject, pmlFile, type HookedProject } from '../../test/hook-place.ts'

let project: HookedProject
let forbidden: object
beforeAll(() => {
  project = hookedProject()
  execFileSync('mkfifo', [join(project.root, 'pipe')])
  forbidden = project.event('Write', { file_path: 'workspace/a.js', content: 'x' })
})

/** A copy of the built package, for breaking. */
function brokenCopy(damage: (folder: string) => void): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pml-broken-')))
  const from = dirname(dirname(pmlFile))
  for (const name of ['bin', 'bundle', 'package.json'])
    cpSync(join(from, name), join(folder, name), { recursive: true })
  damage(join(folder, 'bundle', 'hook'))
  copies.push(folder)
  return join(folder, 'bin', 'pml.js')
}
const copies: string[] = []
afterAll(() => copies.forEach((folder) => rmSync(folder, { recursive: true })))

/** Of the file in which V8's work on the hook is kept, if there is one. */
function compiledName(folder: string): string {
  return readdirSync(folder).find((name) => name.startsWith('main.cjs.')) ?? ''
}

async function run(
  file: string,
  event: object,
  nodeArgs: readonly string[] = [],
): Promise<{ code: number | null; stderr: string }> {
  const env = { PATH: process.env['PATH'], HOME: project.home, PML_CACHE_DIR: project.cache }
  const child = spawn(process.execPath, [...nodeArgs, file, 'hook', '--agent', 'claude'], {
    cwd: project.root,
    env,
  })
  const stderr: string[] = []
  child.stderr.setEncoding('utf8').on('data', (part: string) => stderr.push(part))
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(event))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stderr: stderr.join('') }
}

describe('a hook that breaks', () => {
  it('blocks with its own words when it works, so that the other tests mean something', async () => {
    expect(await project.run(forbidden)).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('"permissionDecisionReason":"BLOCKED::EXECUTABLE'),
      stderr: expect.stringMatching(/^BLOCKED::EXECUTABLE/),
    })
  })

  it.each([
    ['its code is missing', (folder: string) => rmSync(join(folder, 'main.cjs'))],
    ['its code is cut off', (folder: string) => writeFileSync(join(folder, 'main.cjs'), 'const {')],
    ['its code throws', (folder: string) => writeFileSync(join(folder, 'main.cjs'), 'throw new Error()')],
    ['its policy is missing', (folder: string) => rmSync(join(folder, 'enforcement.json'))],
    [
      'its policy is half a file',
      (folder: string) => writeFileSync(join(folder, 'enforcement.json'), '{"version": 1,'),
    ],
    ['all of it is missing', (folder: string) => rmSync(folder, { recursive: true })],
  ])('never lets a call pass: %s', async (_what, damage) => {
    const { code, stderr } = await run(brokenCopy(damage), forbidden)
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/./)
    expect(stderr).not.toContain('BLOCKED::EXECUTABLE')
  })

  it.each([
    ['is nothing', () => ''],
    ['is of something else', () => 'x'.repeat(200_000)],
    ['is half of it', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ])('decides the same when the compiled code %s', async (_what, damage) => {
    const file = brokenCopy((folder) => {
      const compiled = join(folder, compiledName(folder))
      writeFileSync(compiled, damage(readFileSync(compiled)))
    })
    const { code, stderr } = await run(file, forbidden)
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/^BLOCKED::EXECUTABLE/) })
  })

  it('runs its own code, and not compiled code of another file of the same length', async () => {
    const file = brokenCopy((folder) => {
      const code = join(folder, 'main.cjs')
      writeFileSync(code, readFileSync(code, 'utf8').replaceAll('BLOCKED::', 'CHANGED::'))
      const later = Date.now() / 1000 + 10
      utimesSync(code, later, later)
    })
    expect((await run(file, forbidden)).stderr).toMatch(/^CHANGED::EXECUTABLE/)
  })

  it('is compiled when it is installed, for the Node that installs it', async () => {
    const file = brokenCopy((folder) => rmSync(join(folder, compiledName(folder))))
    const folder = join(dirname(dirname(file)), 'bundle', 'hook')
    expect(compiledName(folder)).toBe('')
    execFileSync(process.execPath, [file, 'hooks', 'install', '--agent', 'claude', '--yes'], {
      cwd: project.root,
      env: { PATH: process.env['PATH'], HOME: project.home, PML_CACHE_DIR: project.cache },
    })
    expect(compiledName(folder)).toBe(`main.cjs.${process.version}-${process.arch}`)
    const { code, stderr } = await run(file, forbidden)
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/^BLOCKED::EXECUTABLE/) })
  })

  it('blocks a command where the reader of commands is missing', async () => {
    const file = brokenCopy((folder) => rmSync(join(folder, 'shell.cjs')))
    expect(await run(file, project.event('Bash', { command: 'ls' }))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^BLOCKED::HOOK_FAILED\n/),
    })
  })

  it('is out of memory: not let through', async () => {
    const large = project.event('Write', { file_path: 'workspace/a.js', content: 'x'.repeat(8_000_000) })
    expect((await run(pmlFile, large, ['--max-old-space-size=4', '--max-semi-space-size=1'])).code).not.toBe(
      0,
    )
  })

  it('is killed while it waits for the registry: not let through', async () => {
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const env = {
      PATH: process.env['PATH'],
      HOME: project.home,
      PML_CACHE_DIR: project.cache,
      PML_REGISTRY_URL: url,
      PML_API_KEY: 'k',
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const) {
      const asked = once(server, 'request')
      const child = spawn(process.execPath, [pmlFile, 'hook', '--agent', 'claude'], {
        cwd: project.root,
        env,
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      child.stdin.end(
        JSON.stringify(
          project.event('Write', { file_path: 'a.test.ts', content: 'expect(true).toBe(true)' }),
        ),
      )
      await asked
      child.kill(signal)
      const [code, by] = (await once(child, 'close')) as [number | null, string | null]
      expect(signal === 'SIGKILL' ? by : code).toBe(signal === 'SIGKILL' ? 'SIGKILL' : 2)
    }
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })

  it.each([
    ['throws where nobody catches', "setTimeout(() => { throw new Error('lost') }, 300)", 'lost'],
    ['rejects where nobody looks', "setTimeout(() => Promise.reject(new Error('lost')), 300)", 'lost'],
    [
      'takes as long as it may in all',
      'const wait = setTimeout; globalThis.setTimeout = (work, ms) => wait(work, ms === 20_000 ? 300 : ms)',
      'it took longer than 20 s',
    ],
    [
      'has nothing left to wait for',
      `const { EventEmitter } = require('node:events')
       require('node:net').connect = () => Object.assign(new EventEmitter(), { write() {}, destroy() {} })
       globalThis.setTimeout = () => ({ unref() {} })`,
      'it exited without a decision',
    ],
  ])('%s while it waits for the registry: blocked', async (_what, code, why) => {
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const run = await project.run(
      project.event('Write', { file_path: 'a.test.ts', content: 'expect(true).toBe(true)' }),
      {
        nodeArgs: ['--require', project.write(`${why.length}.cjs`, code)],
        env: { PML_REGISTRY_URL: url, PML_API_KEY: 'k' },
      },
    )
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
    expect(run).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^BLOCKED::HOOK_FAILED\n/),
    })
    expect(run.stderr).toContain(why)
  })

  it('has a policy whose expression would run for ever: blocked when its time is over', async () => {
    project.write(
      '.pml/enforcement.json',
      JSON.stringify({
        version: 1,
        rules: [
          { id: 'SLOW', effect: 'block', reason: 'r', suggestion: 's', match: { content: ['^(a+)+$'] } },
        ],
      }),
    )
    const slow = project.event('Write', { file_path: 'a.txt', content: `${'a'.repeat(60)}b` })
    const { code, stderr } = await project.run(slow)
    rmSync(join(project.root, '.pml'), { recursive: true })
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('BLOCKED::HOOK_FAILED'),
    })
  })

  it.each([
    ['nothing', ''],
    ['a blank', ' '],
    ['half an event', '{"tool_name": "Write"'],
    ['a list', '[]'],
    ['a number', '1'],
    ['null', 'null'],
    ['two events', '{}{}'],
    ['bytes that are no text', '\u{fffd}\0'],
    ['an empty object', '{}'],
  ])('is sent %s: blocked, with the reason', async (_what, input) => {
    const { code, stdout, stderr } = await project.run(input)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^BLOCKED::HOOK_FAILED\nACTION::.*\n\nCannot /)
  })

  it.each([[[]], [['--agent']], [['--agent', 'nobody']], [['--agent=']]])(
    'is called with %j: blocked',
    async (argv) => {
      const child = spawn(process.execPath, [pmlFile, 'hook', ...argv], {
        cwd: project.root,
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      child.stdin.end(JSON.stringify(forbidden))
      expect((await once(child, 'close'))[0]).toBe(2)
    },
  )

  it('has a policy that cannot be read: everything is blocked, and it says where', async () => {
    const broken = hookedProject()
    broken.write('.pml/enforcement.json', '{\n  "version": 1,\n  "rules": [{"id": "x"}]\n}\n')
    const { code, stderr } = await broken.run(broken.event('Write', { file_path: 'a.md', content: '' }))
    expect(code).toBe(2)
    expect(stderr).toMatch(/^BLOCKED::POLICY_UNREADABLE\n/)
    expect(stderr).toContain('enforcement.json:3:20: rules[0].id: expected an id')
  })

  it('has found its policy valid before, and it is broken now: blocked until it is fixed', async () => {
    const watched = hookedProject()
    const script = watched.event('Write', { file_path: 'a.md', content: '' })
    const good = '{ "version": 1, "rules": [] }\n'
    const run = async (policy?: string) => {
      if (policy !== undefined) watched.write('.pml/enforcement.json', policy)
      const { code, stderr } = await watched.run(script)
      return [code, stderr.split('\n')[0]]
    }
    expect(await run(good)).toEqual([0, ''])
    const folder = join(watched.cache, 'hooks', 'checked')
    const [mark = ''] = readdirSync(folder)
    expect(statSync(join(folder, mark)).mode & 0o777).toBe(0o600)
    expect(await run()).toEqual([0, ''])
    expect(await run(good.replace('rules', 'rulez'))).toEqual([2, 'BLOCKED::POLICY_UNREADABLE'])
    expect(await run(good)).toEqual([0, ''])
  })

  it('has the wrong time: it still decides', async () => {
    for (const now of [() => 0, () => 8.64e15, () => Number.NaN])
      expect(
        (await project.call('Write', { file_path: 'workspace/a.js', content: '' }, { now })).exitCode,
      ).toBe(2)
  })

  it('cannot save the blocked content: it still blocks', async () => {
    writeFileSync(join(project.home, 'file'), '')
    const reply = await project.call(
      'Write',
      { file_path: 'workspace/a.js', content: '' },
      { cache: join(project.home, 'file') },
    )
    expect(reply).toMatchObject({ exitCode: 2, stderr: expect.not.stringContaining('SAVED::') })
  })

  it.each([
    ['http://registry.example.com', 'a key is only sent over https'],
    ['registry', 'expected an address such as https://registry.example.com'],
  ])('is to send its key to %s: everything is blocked, and it says why', async (url, why) => {
    const env = { PML_REGISTRY_URL: url, PML_API_KEY: 'k' }
    const { code, stderr } = await project.run(project.event('Read', { file_path: 'a.md' }), { env })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) })
  })

  it('is sent more than it takes: blocked', async () => {
    const content = 'x'.repeat(64 * 1024 * 1024)
    const run = await project.run(project.event('Write', { file_path: 'data.csv', content }))
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('it is over 64 MiB') })
  })

  it('compares with an endless file or an unwritten pipe: it does not wait', async () => {
    for (const command of ['cp /dev/zero src/a.test.ts', 'cat pipe > src/a.test.ts; cp pipe workspace/a']) {
      const { code } = await project.run(project.event('Bash', { command }))
      expect([command, code]).toEqual([command, 2])
    }
  })

  it('reads an event of ten megabytes', async () => {
    const content = 'const a = 1\n'.repeat(900_000)
    expect(await project.run(project.event('Write', { file_path: 'workspace/a.js', content }))).toMatchObject(
      { code: 2 },
    )
    expect(await project.run(project.event('Write', { file_path: 'data.csv', content }))).toMatchObject({
      code: 0,
    })
  })
})
