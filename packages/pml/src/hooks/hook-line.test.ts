import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { parse } from 'jsonc-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentName, JsonObject } from '@pml/hooks'
import { JUDGING, makeHookedProject, type HookedProject } from '../../test/hooked-project.ts'
import { agentSettings, isOurHook } from './agent-settings.ts'
import { listOurs } from './edit-hooks.ts'

/** Those that start hooks in the project, so that it says which pml they start. */
const agents = ['claude', 'copilot', 'cursor', 'gemini', 'windsurf'] as const

let project: HookedProject
beforeAll(async () => {
  project = await makeHookedProject()
  for (const agent of agents) await project.run(['hooks', 'install', '--agent', agent])
})
afterAll(() => project.remove())

async function runLine(agent: AgentName, path = process.env['PATH'] ?? '') {
  const file = project.at(...agentSettings[agent].files.project)
  const [first] = listOurs((await project.read(file)) ?? '', { file, isOurs: isOurHook(agent) })
  const { command, bash }: JsonObject = first?.hook ?? {}
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', String(bash ?? command)], {
    cwd: project.at(),
    env: { PATH: path, CLAUDE_PROJECT_DIR: project.at(), GEMINI_PROJECT_DIR: project.at() },
    input: '{"content":"telegram"}',
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
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
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(
      `BLOCKED::HOOK_FAILED\nACTION::Ask your person to run: pml hooks doctor --agent ${agent}\n`,
    )
    expect(stderr).toContain(`pml itself failed with code ${code}. Nothing was judged, so this was refused.`)
  })

  it('blocks when pml is missing', async () => {
    await rm(project.at('node_modules', 'pml', 'bin', 'pml.js'))
    expect(await runLine(agent)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('BLOCKED::HOOK_FAILED'),
    })
  })

  it('blocks when Node is missing', async () => {
    expect(await runLine(agent, '/nowhere')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('failed with code 127'),
    })
  })

  it('says what pml says when that blocks, and nothing more', async () => {
    await project.script(JUDGING)
    expect(await runLine(agent)).toEqual({
      status: 2,
      stdout: '',
      stderr: 'BLOCKED::NO_SCRIPTS\nUse the MCP\n',
    })
  })

  it('stays out when pml does, and passes on what it prints', async () => {
    await project.script('process.stdout.write(JSON.stringify({ argv: process.argv.slice(2) }))')
    const { status, stdout, stderr } = await runLine(agent)
    expect([status, parse(stdout), stderr]).toEqual([0, { argv: ['hook', '--agent', agent] }, ''])
  })
})
