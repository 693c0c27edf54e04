import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeServedPlace, tool, type ServedPlace } from '../../test/served.ts'

const bin = fileURLToPath(new URL('../../bin/pml.js', import.meta.url))

let place: ServedPlace
beforeEach(async () => {
  place = await makeServedPlace()
})
afterEach(() => place.remove())

interface Shown {
  readonly name: string
  readonly status: string
  readonly reason: string
  readonly tools: readonly string[] | null
}

const json = async (...argv: string[]) => {
  const { exit, stdout } = await place.run(...argv, '--json')
  return { exit, body: JSON.parse(stdout) as Record<string, unknown> }
}
const list = async () => (await json('mcp', 'list')).body['servers'] as Shown[]
const node = (code: string, more: object = {}) => ({ command: process.execPath, args: ['-e', code], ...more })

describe('pml mcp list', () => {
  it('lists the searched places when there is nothing', async () => {
    const { exit, stdout } = await place.run('mcp', 'list')
    expect(exit).toBe(0)
    for (const path of [join(place.root, '.pml', 'mcp'), join(place.root, '.mcp.json'), join('pml', 'mcp')])
      expect(stdout).toContain(path)
  })

  it('starts all at once, and shows how each is; none holds up the others', async () => {
    await place.server('good', [tool('b'), tool('a')])
    await place.server('lacking', [tool('a')], { tools: ['a', 'gone'], capabilities: ['tools', 'prompts'] })
    await place.write('user', 'crashing', node('console.error("no key, no service"); process.exit(3)'))
    await place.write('user', 'silent', node('setInterval(() => {}, 1000)', { startTimeoutMs: 2000 }))
    await place.write(
      'user',
      'chatty',
      node('setInterval(() => console.error("still thinking"), 5)', { startTimeoutMs: 2000 }),
    )
    await place.write('user', 'absent', { command: '/nowhere/at/all' })
    await place.write('user', 'off', { ...node(''), disabled: true })
    await place.write('user', 'unset', node('', { env: { KEY: '${PML_TEST_NOT_SET}' } }))
    await place.write('project', 'foreign', node(''))
    const shown = Object.fromEntries((await list()).map((one) => [one.name, one]))
    expect(Object.keys(shown)).toEqual(Object.keys(shown).toSorted())
    expect(shown).toMatchObject({
      good: { status: 'ready', reason: '', tools: ['a', 'b'], errors: 0, latencyMs: expect.any(Number) },
      lacking: { status: 'degraded', reason: expect.stringMatching(/tool gone.*capability prompts/) },
      crashing: { status: 'offline', reason: expect.stringMatching(/code 3.*no key, no service/) },
      silent: { status: 'offline', reason: expect.stringContaining('no answer within 2000 ms') },
      chatty: { status: 'offline', reason: expect.stringContaining('still thinking') },
      absent: { status: 'offline', reason: expect.stringContaining('/nowhere/at/all') },
      off: { status: 'offline', reason: 'disabled', enabled: false },
      unset: { status: 'offline', reason: expect.stringContaining('PML_TEST_NOT_SET') },
      foreign: { status: 'offline', reason: expect.stringContaining('pml mcp test foreign') },
    })
  })

  it('is a table for people, with the reasons below', async () => {
    await place.server('good', [tool('a')])
    await place.write('user', 'crashing', node('process.exit(3)'))
    const { stdout } = await place.run('mcp', 'list')
    const [head, ...rows] = stdout.split('\n')
    expect(head?.split(/\s{2,}/)).toEqual(['name', 'status', 'latency', 'errors', 'tools', 'last check'])
    expect(rows[0]).toMatch(/^crashing +offline/)
    expect(rows[1]).toMatch(/^good +ready +[\d.]+ ms +0 +1 +20/)
    expect(stdout).toContain('crashing: Cannot connect to crashing: it exited with code 3')
  })

  it('names problems of files, and shows the servers of the others', async () => {
    await place.server('good', [tool('a')])
    await place.write('user', 'bad', '{ "command": ')
    const { body } = await json('mcp', 'list')
    expect(body).toMatchObject({
      servers: [{ name: 'good' }],
      problems: expect.arrayContaining([expect.stringContaining('bad.json:1:')]),
    })
  })

  it('warns once of a server that another file hides', async () => {
    await place.write('project', 'one', node(''))
    const hidden = await place.write('user', 'one', node(''))
    const { stderr } = await place.run('mcp', 'list')
    expect(stderr.match(/is ignored because/g)).toHaveLength(1)
    expect(stderr).toContain(`Server one of ${hidden} is ignored because`)
  })

  it('keeps running with --watch, and reports when a server exits and restarts', async () => {
    await place.write(
      'user',
      'short',
      node(`
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params } = JSON.parse(line)
        const result = method === 'initialize'
          ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
          : { tools: [] }
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
        if (method === 'tools/list') setTimeout(() => process.exit(5), 100)
      })`),
    )
    const child = spawn(process.execPath, [bin, 'mcp', 'list', '--watch'], {
      cwd: place.root,
      env: place.env,
    })
    const lines: string[] = []
    const reading = createInterface(child.stderr).on('line', (line) => lines.push(line))
    const told = async (words: RegExp, from = 0) => {
      while (!lines.slice(from).some((line) => words.test(line))) await once(reading, 'line')
      return lines.length
    }
    const ended = await told(/^short +(?:offline|degraded) .*code 5/, await told(/^short +ready /))
    await told(/^short +ready /, ended)
    expect(lines[0]?.split(/\s{2,}/)).toEqual([
      'name',
      'status',
      'latency',
      'errors',
      'tools',
      'last check',
      'reason',
    ])
    child.kill('SIGINT')
    const [code] = (await once(child, 'exit')) as [number]
    expect(code).toBe(0)
    expect(lines.join('\n')).not.toContain('Cannot finish')
  })
})

describe('one server', () => {
  it('is shown without being started', async () => {
    const mark = join(place.root, 'started')
    await place.write('user', 'one', node(`require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`))
    expect(await json('mcp', 'get', 'one')).toMatchObject({
      exit: 0,
      body: { name: 'one', status: 'offline', scope: 'user', transport: 'stdio', enabled: true },
    })
    await expect(stat(mark)).rejects.toThrow('ENOENT')
  })

  it('is shown with the problems of other files, which are left out', async () => {
    await place.write('user', 'one', node(''))
    const bad = await place.write('user', 'bad', '{ "command": "x", "agrs": [] }')
    const { stderr } = await place.run('mcp', 'get', 'one')
    expect(stderr).toBe(`${bad}:1:19: agrs: expected args; rename it\n`)
  })

  it.each([['get'], ['enable'], ['disable'], ['test'], ['logs']])(
    'that is not there is ErrToolNotFound to %s, with what is near',
    async (verb) => {
      await place.server('github', [])
      expect(await json('mcp', verb, 'githbu')).toEqual({
        exit: 2,
        body: {
          error: 'unknown_server',
          name: 'ErrToolNotFound',
          message: "There is no server 'githbu'; did you mean 'github'?",
        },
      })
    },
  )

  it('is switched off for good, whatever its file says, and on again', async () => {
    await place.server('one', [tool('echo')])
    expect(await json('mcp', 'disable', 'one')).toEqual({ exit: 0, body: { name: 'one', enabled: false } })
    const file = join(place.env['XDG_STATE_HOME'] ?? '', 'pml', 'servers.json')
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ servers: { one: { enabled: false } } })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await list()).toMatchObject([{ name: 'one', status: 'offline', reason: 'disabled' }])
    expect(await json('mcp', 'test', 'one')).toMatchObject({ exit: 5, body: { name: 'ErrToolDisabled' } })
    await place.server('one', [tool('echo')], { disabled: true })
    await json('mcp', 'enable', 'one')
    expect(await list()).toMatchObject([{ name: 'one', status: 'ready' }])
  })
})

describe('pml mcp test', () => {
  it('reports restored entries, and locks new ones', async () => {
    await place.server('one', [tool('b'), tool('a')])
    expect(await json('mcp', 'test', 'one')).toMatchObject({
      exit: 0,
      body: {
        status: 'ready',
        handshakeMs: expect.any(Number),
        pingMs: expect.any(Number),
        protocolVersion: expect.stringMatching(/^20/),
        serverInfo: { name: 'listed', version: '1' },
        capabilities: ['tools'],
        tools: ['a', 'b'],
        missing: [],
      },
    })
  })

  it.each([
    ['crashes', 'process.exit(3)', 'code 3'],
    ['never answers', 'setInterval(() => {}, 1000)', 'no answer within'],
    ['answers garbage', 'setInterval(() => console.log("Welcome!"), 5)', 'no answer within'],
  ])('is ErrHandshakeFailed for a server that %s', async (_what, code, why) => {
    await place.write('user', 'one', node(code, { startTimeoutMs: 500 }))
    expect(await json('mcp', 'test', 'one')).toEqual({
      exit: 1,
      body: {
        error: 'handshake_failed',
        name: 'ErrHandshakeFailed',
        message: expect.stringContaining(why),
      },
    })
  })

  it('shows how a server differs from what is locked, and takes a yes', async () => {
    const file = await place.server('one', [tool('echo')])
    await json('mcp', 'test', 'one')
    await writeFile(file, JSON.stringify({ tools: [tool('echo', { description: 'Worse.' }), tool('more')] }))
    const { exit, body } = await json('mcp', 'test', 'one')
    expect({ exit, body }).toMatchObject({
      exit: 3,
      body: {
        approvalType: 'integrity',
        findings: expect.arrayContaining([
          expect.objectContaining({ kind: 'description_changed', subject: 'echo' }),
          expect.objectContaining({ kind: 'tool_added', subject: 'more' }),
        ]),
      },
    })
    expect(await list()).toMatchObject([
      { status: 'degraded', reason: expect.stringContaining('not what was locked') },
    ])
    expect((await json('continue', String(body['workflowId']), '--approve')).body).toMatchObject({
      lock: 'updated',
    })
    expect(await json('mcp', 'test', 'one')).toMatchObject({
      exit: 0,
      body: { status: 'ready', lock: 'same' },
    })
  })
})

describe('pml mcp logs', () => {
  it('shows the output and the state changes of a server', async () => {
    await place.write('user', 'one', node('console.error("no key, no service"); process.exit(3)'))
    await list()
    const { stdout } = await place.run('mcp', 'logs', 'one')
    expect(stdout).toMatch(/no key, no service/)
    expect(stdout).toMatch(/offline: .*code 3/)
    expect((await json('mcp', 'logs', 'one', '--lines', '1')).body['lines']).toHaveLength(1)
  })
})
