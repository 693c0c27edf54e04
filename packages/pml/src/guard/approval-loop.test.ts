import { readdirSync, readFileSync, statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callerWith, type Caller } from '../../../../apps/server/test/approvals.ts'
import { startRegistry, type TestRegistry } from '../../../../apps/server/test/registry.ts'
import { hookedProject } from '../../test/hook-place.ts'

let registry: TestRegistry
let hook: Caller
let testguard: Caller
beforeAll(async () => {
  registry = await startRegistry()
  hook = await callerWith(registry, ['hook'])
  testguard = await callerWith(registry, ['approve'], 'testguard')
})
afterAll(() => registry.stop())

const strong = "it('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n"
const weak = "it('adds', () => {\n  expect(add(1, 2)).toBeTruthy()\n})\n"

function blockedProject() {
  const project = hookedProject()
  const file = project.write('src/add.test.ts', strong)
  const env = { PML_REGISTRY_URL: registry.url, PML_API_KEY: hook.key }
  const write = (content: string) =>
    project.run(project.event('Write', { file_path: file, content }), { env })
  return { ...project, file, env, writeTest: write }
}

function changeIn(stderr: string): string {
  return /chg_[0-9a-f]{16}/.exec(stderr)?.[0] ?? 'none'
}

describe('a weakened test', () => {
  it('is blocked, passes once when somebody else approved it, and is blocked again', async () => {
    const { writeTest: write } = blockedProject()
    const first = await write(weak)
    expect(first.code).toBe(2)
    expect(JSON.parse(first.stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: first.stderr.trimEnd(),
      },
    })
    const [blocked, saved, action] = first.stderr.split('\n')
    expect(blocked).toBe('BLOCKED::TEST_WEAKENED')
    const id = changeIn(first.stderr)
    expect(action).toBe(
      `ACTION::ask testguard to review change ${id}, then make exactly the same change again`,
    )
    expect(first.stderr).toContain('Cannot write src/add.test.ts: the change removes or weakens assertions.')

    const file = saved?.replace('SAVED::', '') ?? ''
    expect(readFileSync(file, 'utf8')).toBe(weak)
    expect(statSync(file).mode & 0o777).toBe(0o600)

    const shown = await testguard.send('GET', `/approvals/changes/${id}`)
    expect(shown.body).toMatchObject({
      status: 'blocked',
      tool: 'Write',
      path: 'src/add.test.ts',
      content: weak,
    })
    expect(
      (await testguard.send('POST', `/approvals/changes/${id}/approve`, { reason: 'fine here' })).status,
    ).toBe(200)

    expect(await write(weak)).toEqual({ code: 0, stdout: '', stderr: '' })
    const again = await write(weak)
    expect(again.code).toBe(2)
    expect(changeIn(again.stderr)).not.toBe(id)
  })

  it('that is approved in one project is not in another of the same name, path and content', async () => {
    const [one, two] = [blockedProject(), blockedProject()]
    const content = weak.replace('adds', 'adds in one project')
    const id = changeIn((await one.writeTest(content)).stderr)
    await testguard.send('POST', `/approvals/changes/${id}/approve`, { reason: 'fine' })
    const elsewhere = await two.writeTest(content)
    expect(elsewhere.code).toBe(2)
    expect(changeIn(elsewhere.stderr)).not.toBe(id)
    expect(await one.writeTest(content)).toMatchObject({ code: 0 })
  })

  it('passes with the marker as well', async () => {
    const { writeTest: write } = blockedProject()
    const content = weak.replace('adds', 'adds with a marker')
    const id = changeIn((await write(content)).stderr)
    const { body } = await testguard.send('POST', `/approvals/changes/${id}/approve`, { reason: 'fine' })
    expect(await write(`// TESTGUARD-APPROVED: ${body.token}\n${content}`)).toMatchObject({ code: 0 })
  })

  it('gets the reviewer’s instructions after a rejection', async () => {
    const { writeTest: write } = blockedProject()
    const content = weak.replace('adds', 'adds and is rejected')
    const id = changeIn((await write(content)).stderr)
    await testguard.send('POST', `/approvals/changes/${id}/reject`, {
      reason: 'says nothing',
      education: 'A truthy number is any number but zero.',
      suggestion: 'Expect the sum.',
    })
    const again = await write(content)
    expect(again.code).toBe(2)
    expect(again.stderr).toContain(
      'It was rejected: says nothing.\nA truthy number is any number but zero.\nExpect the sum.\n',
    )
  })

  it('by an Edit is the same as by a Write: the whole file counts', async () => {
    const { run, event, env, file, writeTest: write } = blockedProject()
    const edit = { file_path: file, old_string: 'toBe(3)', new_string: 'toBeTruthy( )' }
    const id = changeIn((await run(event('Edit', edit), { env })).stderr)
    await testguard.send('POST', `/approvals/changes/${id}/approve`, { reason: 'fine' })
    expect(await write(weak.replace('toBeTruthy()', 'toBeTruthy( )'))).toMatchObject({ code: 0 })
  })

  it('cannot be approved with the key that asked for it', async () => {
    const { writeTest: write } = blockedProject()
    const both = await callerWith(registry, ['hook', 'approve'], 'testguard')
    const content = weak.replace('adds', 'adds for itself')
    const id = changeIn((await write(content)).stderr)
    const { status, body } = await both.send('POST', `/approvals/changes/${id}/approve`, { reason: 'me' })
    expect(status).toBe(200)
    expect(body.id).toBe(id)
    const own = await hook.send('POST', `/approvals/changes/${id}/approve`, { reason: 'me' })
    expect(own.status).toBe(403)
  })
})

describe('several files at once', () => {
  it('pass when all of them are approved, and until then no approval is used up', async () => {
    const project = blockedProject()
    project.write('src/b.test.ts', strong)
    const patch = [
      '*** Begin Patch',
      ...['src/add.test.ts', 'src/b.test.ts'].flatMap((path) => [
        `*** Update File: ${path}`,
        '@@',
        '-  expect(add(1, 2)).toBe(3)',
        '+  expect(add(1, 2)).toBeDefined()',
      ]),
      '*** End Patch',
    ].join('\n')
    const call = () =>
      project.run(project.event('apply_patch', { input: patch }), { env: project.env, agent: 'codex' })
    const { stderr } = await call()
    const ids = [...new Set(stderr.match(/chg_[0-9a-f]{16}/g))]
    expect(ids).toHaveLength(2)
    await testguard.send('POST', `/approvals/changes/${ids[0]}/approve`, { reason: 'one' })
    expect((await call()).code).toBe(2)
    await testguard.send('POST', `/approvals/changes/${ids[1]}/approve`, { reason: 'two' })
    expect(await call()).toMatchObject({ code: 0 })
    expect((await call()).code).toBe(2)
  })
})

describe('the audit log', () => {
  it('has every block, pass and correction with agent, session and rule', async () => {
    const { run, event, env, writeTest: write, cache } = blockedProject()
    const content = weak.replace('adds', 'adds for the audit')
    const id = changeIn((await write(content)).stderr)
    await testguard.send('POST', `/approvals/changes/${id}/approve`, { reason: 'fine' })
    await write(content)
    await run(event('Write', { file_path: 'workspace/x.js', content: 'telegram' }), { env })
    await run(event('spawn_worker', { task: 'Send it by Telegram', servers: [] }), { env })
    await run(event('mcp__nowhere__do', {}), { env })
    expect(readdirSync(`${cache}/hooks/queue`)).toEqual([])
    const { body } = await testguard.send('GET', '/audit?limit=100')
    const rows = (body['events'] as { action: string; detail: Record<string, unknown> }[])
      .filter(({ action }) => action.startsWith('hook.'))
      .map(({ action, detail }) => [action, detail['rule'], detail['agent'], detail['session']])
    const told = (action: string, rule: string) => [action, rule, 'claude', 'session-1']
    expect(rows).toEqual(
      expect.arrayContaining([
        told('hook.blocked', 'TEST_WEAKENED'),
        told('hook.allowed', 'TEST_WEAKENED'),
        told('hook.blocked', 'EXECUTABLE_IN_WORKSPACE'),
        told('hook.corrected', 'SPAWN_WITHOUT_MCP'),
        told('hook.refused', 'MCP_UNLOCKED'),
      ]),
    )
  })
})

describe('a test that a command weakened', () => {
  const shell = (project: ReturnType<typeof blockedProject>, name: string) => {
    const event = { ...project.event('Bash', { command: 'make' }), hook_event_name: name, tool_response: {} }
    return project.run(event, { env: project.env })
  }

  it('holds the agent until somebody approves it', async () => {
    const project = blockedProject()
    expect(await shell(project, 'PreToolUse')).toMatchObject({ code: 0 })
    project.write('src/add.test.ts', weak)
    const { stdout } = await shell(project, 'PostToolUse')
    expect(stdout).toContain('BLOCKED::TEST_WEAKENED')
    expect(await shell(project, 'PreToolUse')).toMatchObject({ code: 2 })
    const approved = await testguard.send('POST', `/approvals/changes/${changeIn(stdout)}/approve`, {
      reason: 'the old one asked for too much',
    })
    expect(approved.status).toBe(200)
    expect(await shell(project, 'PreToolUse')).toMatchObject({ code: 0 })
    expect(await shell(project, 'PostToolUse')).toMatchObject({ code: 0, stdout: '' })
    expect(readFileSync(project.file, 'utf8')).toBe(weak)
  })

  it('is not taken for one that was approved before the call', async () => {
    const project = blockedProject()
    expect(await shell(project, 'PreToolUse')).toMatchObject({ code: 0 })
    expect(await shell(project, 'PostToolUse')).toMatchObject({ code: 0 })
    const id = changeIn((await project.writeTest(weak)).stderr)
    await testguard.send('POST', `/approvals/changes/${id}/approve`, { reason: 'yes' })
    expect(await project.writeTest(weak)).toMatchObject({ code: 0 })
    project.write('src/add.test.ts', weak)
    // The approved content is good, and it was good once.
    expect(await shell(project, 'PreToolUse')).toMatchObject({ code: 0 })
    project.write('src/add.test.ts', strong)
    expect(await shell(project, 'PostToolUse')).toMatchObject({ code: 0, stdout: '' })
    expect(await shell(project, 'PreToolUse')).toMatchObject({ code: 0 })
    project.write('src/add.test.ts', weak)
    expect((await shell(project, 'PostToolUse')).stdout).toContain('BLOCKED::TEST_WEAKENED')
  })
})
