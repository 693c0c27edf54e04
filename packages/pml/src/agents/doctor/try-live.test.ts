import { existsSync, watch, type FSWatcher } from 'node:fs'
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { PmlError } from '@pml/core'
import type { AgentName } from '@pml/hooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHookedProject, type HookedProject } from '../../../test/hooked-project.ts'
import { processOps } from '../../machine/ops.ts'
import { isAlive } from '../../machine/process-tree.ts'
import { examineHooks, type HookFinding } from './examine-hooks.ts'

/** A program that is called claude: the one part of this that is not real, since it is hostile or broken. */
const fake = `
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'

const manners = {
  never: () => {
    const stray = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
    note({ pids: [process.pid, stray.pid] })
    setInterval(() => {}, 1000)
  },
  exits: () => {
    console.error('no licence')
    process.exit(3)
  },
  writes: () => work((path, content) => {
    writeFileSync(path, content)
    return 'File created'
  }),
  asks: () => work((path, content) => {
    const { command } = JSON.parse(readFileSync('.claude/settings.json', 'utf8')).hooks.PreToolUse[0].hooks[0]
    const input = { hook_event_name: 'PreToolUse', cwd: process.cwd(), tool_name: 'Write', tool_input: { file_path: path, content } }
    const env = { ...process.env, CLAUDE_PROJECT_DIR: process.cwd() }
    return 'hook error: ' + spawnSync('sh', ['-c', command], { env, input: JSON.stringify(input) }).stderr
  }),
  refuses: () => work(() => 'No permission'),
  looks: async () => {
    const { hostname, port } = new URL(process.env.HTTPS_PROXY)
    const said = await new Promise((done) => {
      const socket = connect(Number(port), hostname)
      socket.once('data', (data) => (socket.destroy(), done(String(data).split('\\r\\n')[0])))
      socket.write('CONNECT example.org:443 HTTP/1.1\\r\\nhost: example.org\\r\\n\\r\\n')
    })
    note({ env: process.env, argv: process.argv, cwd: process.cwd(), said })
  },
}
const note = (value) => {
  writeFileSync(process.argv[2] + '.part', JSON.stringify(value))
  renameSync(process.argv[2] + '.part', process.argv[2])
}
const ask = async (messages) => {
  const body = JSON.stringify({ tools: [{ name: 'Write' }], messages })
  return (await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body })).json()
}
async function work(call) {
  const messages = [{ role: 'user', content: 'go' }]
  const { input } = (await ask(messages)).content[0]
  const content = await call(input.file_path, input.content)
  await ask([...messages, { role: 'user', content: [{ type: 'tool_result', content }] }])
}
await manners[process.argv[3]]()
`

let project: HookedProject
beforeEach(async () => {
  project = await makeHookedProject()
  await project.run(['hooks', 'install', '--agent', 'claude'])
})
afterEach(() => project.remove())

async function putFake(manner: string): Promise<void> {
  await project.write(join(project.home, 'fake.mjs'), fake)
  const line = [process.execPath, join(project.home, 'fake.mjs'), noted(), manner].join("' '")
  await project.program('claude', `[ "$1" = --version ] && echo 2.1.326 && exit\nexec '${line}' "$@"`)
}

const noted = () => join(project.home, 'noted.json')
const readNote = async () => JSON.parse((await project.read(noted())) ?? '') as Record<string, unknown>

async function tryLive(agent: AgentName = 'claude', { timeoutMs = 20_000, env = {} } = {}) {
  const refuse = async () => Promise.reject(new PmlError('unavailable', 'There is none'))
  const context = {
    ops: { ...processOps({ ...project.env, ...env }), cwd: project.at() },
    signal: new AbortController().signal,
    workspace: project.at(),
    registry: refuse,
  }
  const managed = join(project.home, 'managed')
  const findings = await examineHooks(context, { agent, managed, live: { timeoutMs } })
  return findings.find(({ check }) => check === 'live') as HookFinding
}

describe('a live call', () => {
  it('is proof when the agent asks the hook and the model reads why it was blocked', async () => {
    await putFake('asks')
    const message = 'the hook ran and the model read BLOCKED::NO_SCRIPTS'
    expect(await tryLive()).toEqual({ check: 'live', level: 'ok', message })
  })

  it('finds an agent that does not ask, and removes what it wrote', async () => {
    await putFake('writes')
    const { level, message } = await tryLive()
    expect(level).toBe('error')
    expect(message).toMatch(
      /^the agent made the call without running the hook: it wrote workspace\/pml-live-/,
    )
    expect(message).toContain('start claude there and trust it')
    expect(existsSync(project.at('workspace'))).toBe(false)
  })

  it('leaves a workspace that was there as it was', async () => {
    await project.write(project.at('workspace', 'notes.md'), 'mine')
    await putFake('writes')
    expect((await tryLive()).level).toBe('error')
    expect(await readdir(project.at('workspace'))).toEqual(['notes.md'])
  })

  it('ends an agent that never ends, with all that it started', async () => {
    await putFake('never')
    const { level, message } = await tryLive('claude', { timeoutMs: 3000 })
    expect(level).toBe('unknown')
    expect(message).toContain('could not be tried: claude did not make the call (no exit within 3 s)')
    const { pids } = (await readNote()) as { pids: number[] }
    expect(pids.map(isAlive)).toEqual([false, false])
    expect(existsSync(project.at('workspace'))).toBe(false)
  })

  it('reports the output of an agent that exited before the call', async () => {
    await putFake('exits')
    const message = 'could not be tried: claude did not make the call (exit 3); it said "no licence"'
    expect(await tryLive()).toEqual({ check: 'live', level: 'unknown', message })
  })

  it('is no proof when the agent refused by itself', async () => {
    await putFake('refuses')
    const message = 'could not be tried: claude did not write the file; the model read "No permission"'
    expect(await tryLive()).toEqual({ check: 'live', level: 'unknown', message })
  })

  it('gives the agent its settings, no secrets and no network', async () => {
    await putFake('looks')
    const env = {
      ANTHROPIC_API_KEY: 'sk-s3cr3t',
      ANTHROPIC_AUTH_TOKEN: 's3cr3t',
      GITHUB_TOKEN: 's3cr3t',
      PML_API_KEY: 'pml_a_s3cr3t',
      https_proxy: 'http://127.0.0.1:9',
      CLAUDE_CONFIG_DIR: join(project.home, '.claude'),
    }
    const { message } = await tryLive('claude', { env })
    expect(message).toContain('(exit 0, and was blocked from reaching example.org:443)')
    const seen = (await readNote()) as { env: Record<string, string>; cwd: string; said: string }
    expect(JSON.stringify(seen)).not.toContain('s3cr3t')
    expect(seen.said).toBe('HTTP/1.1 403 Forbidden')
    expect(seen.cwd).toBe(project.at())
    const model = seen.env['ANTHROPIC_BASE_URL']
    expect(model).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(seen.env).toMatchObject({
      HOME: project.home,
      CLAUDE_CONFIG_DIR: env.CLAUDE_CONFIG_DIR,
      ANTHROPIC_API_KEY: 'sk-dummy',
      https_proxy: model,
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
    })
  })

  it('is not made when the hook itself would let it through', async () => {
    await putFake('writes')
    await project.script('')
    const { level, message } = await tryLive()
    expect(level).toBe('unknown')
    expect(message).toMatch(/^could not be tried: the hook itself does not block the call: Expected exit 2/)
    expect(existsSync(project.at('workspace'))).toBe(false)
  })

  it('is not made through a link that leads out of the project', async () => {
    await mkdir(join(project.home, 'elsewhere'))
    await symlink(join(project.home, 'elsewhere'), project.at('workspace'))
    await putFake('writes')
    const { level, message } = await tryLive()
    expect(level).toBe('unknown')
    expect(message).toContain('workspace is not a folder')
    expect(await readdir(join(project.home, 'elsewhere'))).toEqual([])
  })

  it.each(['cursor', 'windsurf'] as const)('cannot be made by %s', async (agent) => {
    await project.run(['hooks', 'install', '--agent', agent])
    const message = `could not be tried: ${agent} cannot run without a person`
    expect(await tryLive(agent)).toEqual({ check: 'live', level: 'unknown', message })
  })
})

describe('pml hooks doctor --live', () => {
  const argv = ['hooks', 'doctor', '--agent', 'claude', '--live', '--json']
  const liveIn = (stdout: string) =>
    (JSON.parse(stdout) as { findings: HookFinding[] }).findings.find(({ check }) => check === 'live')

  it('says that the agent is not on PATH, which is not healthy', async () => {
    await project.program('node', `exec '${process.execPath}' "$@"`)
    const [programs] = project.env['PATH']?.split(':') ?? []
    const { exit, stdout } = await project.run(argv, { env: { PATH: `${programs}:/usr/bin:/bin` } })
    const message = 'could not be tried: claude is not on PATH'
    expect(liveIn(stdout)).toEqual({ check: 'live', level: 'unknown', message })
    expect(exit).toBe(1)
  })

  let watcher: FSWatcher | undefined
  afterEach(() => watcher?.close())

  it('leaves neither files nor processes behind when it is interrupted', async () => {
    await putFake('never')
    const temp = join(project.home, 'temp')
    await mkdir(temp)
    const started = new Promise((done) => {
      watcher = watch(project.home, (_, name) => name === 'noted.json' && done(name))
    })
    const running = project.workspace.start(argv, { env: { ...project.env, TMPDIR: temp } })
    await started
    const { pids } = (await readNote()) as { pids: number[] }
    expect(await readdir(project.at('workspace'))).toHaveLength(1)
    expect(await readdir(temp)).toContainEqual(expect.stringMatching(/^pml-live-/))
    running.kill('SIGINT')
    await running.outcome
    expect(pids.map(isAlive)).toEqual([false, false])
    expect(existsSync(project.at('workspace'))).toBe(false)
    expect(await readdir(temp)).toEqual([])
  })
})
