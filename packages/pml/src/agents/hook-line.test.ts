import { spawnSync } from 'node:child_process'
import { chmod, mkdir, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parse } from 'jsonc-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentName, JsonObject } from '@pml/hooks'
import { JUDGING, makeHookedProject, type HookedProject } from '../../test/hooked-project.ts'
import { agentOf, isOurHook } from '@pml/hooks/agents'
import { listOurs } from './edit-hooks.ts'

/** Those that start hooks in the project, so that it says which pml they start. */
const agents = ['claude', 'copilot', 'cursor', 'gemini', 'windsurf'] as const

let project: HookedProject
beforeAll(async () => {
  project = await makeHookedProject()
  for (const agent of agents) await project.run(['hooks', 'install', '--agent', agent])
})
afterAll(() => project.remove())

async function lineOf(agent: AgentName): Promise<string> {
  const file = project.at(...agentOf(agent).hooks.settings.files.project)
  const [first] = listOurs((await project.read(file)) ?? '', { file, isOurs: isOurHook(agent) })
  const { command, bash }: JsonObject = first?.hook ?? {}
  return String(bash ?? command)
}

async function runLine(agent: AgentName, path = process.env['PATH'] ?? '', shell = '/bin/sh') {
  const { status, stdout, stderr } = spawnSync(shell, ['-c', await lineOf(agent)], {
    cwd: project.at(),
    env: {
      PATH: path,
      HOME: project.home,
      CLAUDE_PROJECT_DIR: project.at(),
      GEMINI_PROJECT_DIR: project.at(),
    },
    input: '{"content":"telegram"}',
    encoding: 'utf8',
    // A line that waits for ever fails its test instead of stopping all of them.
    timeout: 30_000,
    killSignal: 'SIGKILL',
  })
  return { status, stdout, stderr }
}

/** What the agent reads beside stderr: Copilot alone needs it. */
function failureIn(agent: AgentName): string {
  if (agent !== 'copilot') return ''
  const permissionDecisionReason =
    'BLOCKED::HOOK_FAILED\nACTION::Ask your person to run: pml hooks doctor --agent copilot\npml itself failed. Nothing was judged, so this was refused.'
  return `${JSON.stringify({ permissionDecision: 'deny', permissionDecisionReason })}\n`
}

describe.each(agents)('the line that is installed for %s', (agent) => {
  it.each([
    ['crashes', 'throw new Error("no")', 1],
    ['is no JavaScript', '{{', 1],
    ['ends with 1', 'process.exit(1)', 1],
    ['ends with 3', 'process.exit(3)', 3],
    ['ends with 13, as Node does with what is never resolved', 'await new Promise(() => {})', 13],
    ['misses a module', 'await import("./missing.js")', 1],
    ['is killed', 'process.kill(process.pid, "SIGKILL")', 137],
    [
      'is told to end',
      'process.kill(process.pid, "SIGTERM"); await new Promise((go) => setTimeout(go, 9999))',
      143,
    ],
    ['aborts', 'process.abort()', 134],
  ])('blocks when pml %s', async (_, script, code) => {
    await project.script(script)
    const { status, stdout, stderr } = await runLine(agent)
    expect([status, stdout]).toEqual([2, failureIn(agent)])
    expect(stderr).toContain(
      `BLOCKED::HOOK_FAILED\nACTION::Ask your person to run: pml hooks doctor --agent ${agent}\n`,
    )
    expect(stderr).toContain(`pml itself failed with code ${code}. Nothing was judged, so this was refused.`)
  })

  it('blocks when pml is missing, and says no more than that', async () => {
    await rm(project.at('node_modules', '@pml-registry', 'pml', 'bin', 'pml.js'))
    const { status, stdout, stderr } = await runLine(agent)
    expect([status, stdout]).toEqual([2, failureIn(agent)])
    expect(stderr).toMatch(
      /^BLOCKED::HOOK_FAILED\nACTION::.*\npml itself is not at .*node_modules\/@pml-registry\/pml\/bin\/pml\.js\. Nothing .*\n$/,
    )
  })

  it('blocks when Node is missing', async () => {
    await project.script(JUDGING)
    expect(await runLine(agent, '/nowhere')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('failed with code 127'),
    })
  })

  it('prints only pml’s message when it blocks', async () => {
    await project.script(JUDGING)
    expect(await runLine(agent)).toEqual({
      status: 2,
      stdout: '',
      stderr: 'BLOCKED::NO_SCRIPTS\nUse the MCP\n',
    })
  })

  it('exits as pml does, and passes on its output', async () => {
    await project.script('process.stdout.write(JSON.stringify({ argv: process.argv.slice(2) }))')
    const { status, stdout, stderr } = await runLine(agent)
    expect([status, parse(stdout), stderr]).toEqual([0, { argv: ['hook', '--agent', agent] }, ''])
  })
})

describe.each(['/bin/sh', '/bin/bash'])('the limit of the installed line in %s', (shell) => {
  /** The real limit is for agents; here the same line waits for as long as this `sleep` does. */
  async function pathWithSleep(lines: string): Promise<string> {
    const path = project.env['PATH'] ?? ''
    const sleep = spawnSync('/bin/sh', ['-c', 'command -v sleep'], { encoding: 'utf8' }).stdout.trim()
    await project.program('sleep', lines.replaceAll('SLEEP', sleep))
    return path
  }
  const pidFile = () => join(dirname(project.at()), 'pid')
  const readPid = async () => Number(await project.read(pidFile()))
  /** A process that is over may still wait for its parent to ask how it ended. */
  const isRunning = (pid: number) => /^[^Z]/.test(stateOf(pid))
  const stateOf = (pid: number) =>
    spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()

  it('ends a pml that spins in a read without end, and blocks', async () => {
    await project.script(`
      import { openSync, readSync } from 'node:fs'
      process.on('SIGTERM', () => {})
      for (const [zero, into] = [openSync('/dev/zero'), Buffer.alloc(65536)]; ; ) readSync(zero, into)
    `)
    const { status, stdout, stderr } = await runLine('claude', await pathWithSleep('exec SLEEP 1'), shell)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      /^BLOCKED::HOOK_FAILED\nACTION::.*\npml itself took longer than 25 s\. Nothing .*\n$/,
    )
  })

  it.each([
    ['', (path: string) => path],
    [' where there is no pgrep', (path: string) => `${join(dirname(project.at()), 'bare')}:${path}`],
  ])('ends what pml started too, which would keep the agent waiting for its output%s', async (_, where) => {
    await project.write(join(dirname(project.at()), 'bare', 'pgrep'), '#!/bin/sh\nexit 127\n')
    await chmod(join(dirname(project.at()), 'bare', 'pgrep'), 0o755)
    await project.script(
      `
      import { spawn } from 'node:child_process'
      import { writeFileSync } from 'node:fs'
      const held = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"
      const shim = \`require('node:child_process').spawn(process.execPath, ['-e', \${JSON.stringify(held)}], { stdio: 'inherit' })
        .on('spawn', function () { require('node:fs').writeFileSync(\${JSON.stringify('PID')}, String(this.pid)) })\`
      spawn(process.execPath, ['-e', shim], { stdio: 'inherit' })
      setInterval(() => {}, 1000)
    `.replace('PID', pidFile()),
    )
    const path = where(await pathWithSleep('exec SLEEP 2'))
    const { status, stderr } = await runLine('claude', path, shell)
    expect([status, stderr]).toEqual([2, expect.stringContaining('took longer than 25 s')])
    expect(isRunning(await readPid())).toBe(false)
  })

  it('ends a pml that starts one process after another', async () => {
    const mark = `1${Date.now()}`
    await project.script(`
      import { spawn } from 'node:child_process'
      process.on('SIGTERM', () => {})
      setInterval(() => spawn('/bin/sleep', ['${mark}'], { stdio: 'inherit' }), 5)
    `)
    const { status, stderr } = await runLine('claude', await pathWithSleep('exec SLEEP 1'), shell)
    const left = spawnSync('pgrep', ['-f', `sleep ${mark}`], { encoding: 'utf8' }).stdout.split('\n')
    spawnSync('kill', ['-9', ...left.filter(Boolean)])
    expect([status, left]).toEqual([2, ['']])
    expect(stderr).toContain('took longer than 25 s')
  })

  it('holds where the path of the agent has nothing but Node', async () => {
    const bare = join(dirname(project.at()), 'node-only')
    await mkdir(bare, { recursive: true })
    await symlink(process.execPath, join(bare, 'node')).catch(() => undefined)
    await project.script(`
      import { writeFileSync } from 'node:fs'
      writeFileSync('${pidFile()}', String(process.pid))
      for (;;);
    `)
    const line = (await lineOf('claude')).replace('sleep 25', 'sleep 1')
    const env = { PATH: bare, HOME: project.home, CLAUDE_PROJECT_DIR: project.at() }
    const { status } = spawnSync(shell, ['-c', line], { env, input: '{}', timeout: 30_000 })
    const pid = await readPid()
    if (isRunning(pid)) process.kill(pid, 'SIGKILL')
    expect(status).toBe(2)
  })

  it('blocks where the agent has closed the standard input', async () => {
    const line = await lineOf('claude')
    const env = { PATH: process.env['PATH'], HOME: project.home, CLAUDE_PROJECT_DIR: project.at() }
    const closed = ['-c', 'exec "$0" -c "$1" <&-', shell, line]
    const { status, stderr } = spawnSync('/bin/sh', closed, { env, encoding: 'utf8' })
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^BLOCKED::HOOK_FAILED\n/)])
  })

  it('leaves nothing running after a call that took no time', async () => {
    await project.script('')
    const path = await pathWithSleep(`echo $$ > ${pidFile()}\nexec SLEEP 60`)
    expect(await runLine('claude', path, shell)).toEqual({ status: 0, stdout: '', stderr: '' })
    await expect.poll(async () => isRunning(await readPid())).toBe(false)
  })
})
