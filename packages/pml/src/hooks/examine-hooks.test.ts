import { mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PmlError } from '@pml/core'
import { agentNames, type AgentName } from '@pml/hooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { JUDGING, makeHookedProject, type HookedProject } from '../../test/hooked-project.ts'
import { startPeer } from '../../test/peer.ts'
import type { Wish } from '../../test/pml-process.ts'
import { processOps } from '../ops.ts'
import { examineHooks, type HookFinding } from './examine-hooks.ts'

let project: HookedProject
beforeEach(async () => {
  project = await makeHookedProject()
})
afterEach(() => project.remove())

const install = (agent: AgentName, ...more: string[]) =>
  project.run(['hooks', 'install', '--agent', agent, ...more])

async function doctor(agent: AgentName, wish?: Wish) {
  const { exit, stdout } = await project.run(['hooks', 'doctor', '--agent', agent, '--json'], wish)
  const { isHealthy, findings } = JSON.parse(stdout) as { isHealthy: boolean; findings: HookFinding[] }
  expect(exit).toBe(isHealthy ? 0 : 1)
  return { isHealthy, findings }
}

const blocks = 'project hook blocks workspace/send_telegram.js'
const letsThrough = 'project hook lets through notes.md'

describe('pml hooks doctor', () => {
  it.each(['claude', 'copilot', 'cursor', 'gemini', 'windsurf'] as const)(
    'runs the hook of %s on something to block and something to let through',
    async (agent) => {
      await install(agent)
      const { isHealthy, findings } = await doctor(agent)
      expect(findings).toContainEqual({ check: blocks, level: 'ok', message: 'as it should' })
      expect(findings).toContainEqual({ check: letsThrough, level: 'ok', message: 'as it should' })
      expect(isHealthy).toBe(true)
    },
  )

  it('sends what the agent would send, from a folder of its own that is gone afterwards', async () => {
    await install('claude')
    await project.script(`
      let event = ''
      for await (const part of process.stdin) event += part
      const { appendFileSync, existsSync } = await import('node:fs')
      const { cwd } = JSON.parse(event)
      appendFileSync('seen.jsonl', JSON.stringify({ event: JSON.parse(event), exists: existsSync(cwd), at: process.cwd() }) + '\\n')
      ${JUDGING.split('\n').slice(3).join('\n')}
    `)
    await doctor('claude', { env: { PML_API_KEY: 'pml_a_s3cr3t' } })
    const seen = ((await project.read(project.at('seen.jsonl'))) ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: { cwd: string }; exists: boolean; at: string })
    expect(seen).toMatchObject([
      {
        exists: true,
        at: project.at(),
        event: {
          hook_event_name: 'PreToolUse',
          tool_name: 'Write',
          tool_input: {
            file_path: expect.stringMatching(/\/workspace\/send_telegram\.js$/),
            content: expect.stringContaining('api.telegram.org'),
          },
        },
      },
      { event: { tool_input: { file_path: expect.stringMatching(/\/notes\.md$/) } } },
    ])
    expect(seen[0]?.event.cwd.startsWith(project.at())).toBe(false)
    const left = (await readdir(tmpdir())).filter((name) => seen[0]?.event.cwd.endsWith(name))
    expect(left).toEqual([])
  })

  it('keeps what it tries out from the registry', async () => {
    await install('claude')
    await project.script(
      `if (process.env.PML_API_KEY || process.env.PML_REGISTRY_URL) process.exit(1)\n${JUDGING}`,
    )
    expect((await doctor('claude', { env: { PML_API_KEY: 'pml_a_s3cr3t' } })).isHealthy).toBe(true)
  })

  it.each([
    ['lets everything through', '', [blocks], 'got exit 0 with nothing on stderr'],
    [
      'blocks everything',
      'console.error("BLOCKED::ALL"); process.exit(2)',
      [letsThrough],
      'got exit 2 with BLOCKED::ALL',
    ],
    [
      'says no without a reason',
      'process.exit(2)',
      [blocks, letsThrough],
      'got exit 2 with nothing on stderr',
    ],
    [
      'does not know the command',
      'console.error("error: there is no such command"); process.exit(2)',
      [blocks, letsThrough],
      'got exit 2 with error: there is no such command',
    ],
    ['crashes', 'process.exit(7)', [blocks, letsThrough], 'pml itself failed: BLOCKED::HOOK_FAILED'],
  ])('says which of the two failed and how when pml %s', async (_, script, failing, message) => {
    await install('claude')
    await project.script(script)
    const { isHealthy, findings } = await doctor('claude')
    const failed = findings.filter(({ level }) => level === 'error')
    expect(failed.map(({ check }) => check)).toEqual(failing)
    for (const finding of failed) expect(finding.message).toContain(message)
    expect(isHealthy).toBe(false)
  })

  it('says that pml is gone', async () => {
    await install('claude')
    await rm(project.at('node_modules', 'pml', 'bin', 'pml.js'))
    const { findings } = await doctor('claude')
    expect(findings.filter(({ level }) => level === 'error').map(({ check }) => check)).toEqual([
      blocks,
      letsThrough,
    ])
  })

  it.each(agentNames)('says that there is no hook of %s', async (agent) => {
    expect(await doctor(agent)).toEqual({
      isHealthy: false,
      findings: [
        {
          check: 'settings',
          level: 'error',
          message: `There is no hook of pml; run "pml hooks install --agent ${agent}"`,
        },
      ],
    })
  })

  it('says at which events a hook is missing', async () => {
    await install('windsurf')
    const file = project.at('.windsurf', 'hooks.json')
    const text = (await project.read(file)) ?? ''
    await project.write(file, text.replace('pre_mcp_tool_use', 'post_mcp_tool_use'))
    expect((await doctor('windsurf')).findings).toContainEqual({
      check: 'project settings',
      level: 'error',
      message: expect.stringContaining('No hook of pml at pre_mcp_tool_use; run "pml hooks install'),
    })
  })

  it('runs what really stands in the settings, and says that it is another line', async () => {
    const command = `node -e 'process.exit(0)' pml.js hook --agent claude`
    const settings = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } }
    await project.write(project.at('.claude', 'settings.json'), JSON.stringify(settings))
    const { findings } = await doctor('claude')
    expect(findings.map(({ check, level }) => [check, level])).toEqual(
      expect.arrayContaining([
        ['project settings', 'warning'],
        [blocks, 'error'],
        [letsThrough, 'ok'],
      ]),
    )
  })

  it('says that settings cannot be read', async () => {
    await project.write(project.at('.claude', 'settings.json'), '{"hooks": 7}')
    expect((await doctor('claude')).findings).toContainEqual({
      check: 'project settings',
      level: 'error',
      message: expect.stringContaining('settings.json:1:11: expected "hooks" to be an object'),
    })
  })

  it.each([
    [
      'claude',
      '2.1.294 (Claude Code)',
      'warning',
      '2.1.294 is older than 2.1.295: it takes no notice of onFailure',
    ],
    ['claude', '2.1.295 (Claude Code)', 'ok', '2.1.295'],
    ['claude', '3.0.0', 'ok', '3.0.0'],
    ['gemini', '0.25.9', 'warning', '0.25.9 is older than 0.26.0: its hooks are off'],
    ['cursor', '2.10.1\nabc\nx64', 'ok', '2.10.1'],
    ['claude', 'who knows', 'ok', 'It is not on PATH, or does not say'],
  ] as const)('says what %s %s does not know', async (agent, said, level, message) => {
    await install(agent)
    await project.program(agent, `echo '${said}'`)
    const { isHealthy, findings } = await doctor(agent)
    expect(findings).toContainEqual({
      check: `${agent} --version`,
      level,
      message: expect.stringContaining(message),
    })
    expect(isHealthy).toBe(true)
  })

  it('does not wait for an agent that does not say its version', async () => {
    await install('claude')
    await project.program('claude', 'exec sleep 60')
    expect((await doctor('claude')).isHealthy).toBe(true)
  })

  it('says that Codex wants to be told to trust', async () => {
    await install('codex')
    expect((await doctor('codex')).findings).toContainEqual({
      check: 'trust',
      level: 'warning',
      message: expect.stringContaining('/hooks'),
    })
  })

  it('says that Claude Code does not trust the folder, where it knows', async () => {
    await install('claude')
    const isToldOf = async () => (await doctor('claude')).findings.some(({ check }) => check === 'trust')
    expect(await isToldOf()).toBe(false)
    const config = join(project.home, '.claude.json')
    await project.write(
      config,
      JSON.stringify({ projects: { '/elsewhere': { hasTrustDialogAccepted: true } } }),
    )
    expect(await isToldOf()).toBe(true)
    await project.write(
      config,
      JSON.stringify({ projects: { [project.at()]: { hasTrustDialogAccepted: true } } }),
    )
    expect(await isToldOf()).toBe(false)
  })
})

describe('pml hooks doctor, where the registry judges', () => {
  it.each([
    [
      'as it should',
      200,
      (event: string) => (event.includes('telegram') ? '{"permissionDecision":"deny"}' : ''),
      [],
    ],
    ['by letting everything through', 200, () => '', [blocks]],
    ['by blocking everything', 200, () => '{"permissionDecision":"deny"}', [letsThrough]],
    ['not at all', 503, () => '{}', [blocks, letsThrough]],
  ])('asks it, and it answers %s', async (_, status, answer, failing) => {
    const registry = await startPeer((response, { body }) => response.writeHead(status).end(answer(body)))
    try {
      const env = { PML_REGISTRY_URL: registry.url, PML_API_KEY: 'pml_a_s3cr3t' }
      await project.run(['hooks', 'install', '--agent', 'claude', '--http'], { env })
      const { findings } = await doctor('claude', { env })
      expect(findings.filter(({ level }) => level === 'error').map(({ check }) => check)).toEqual(failing)
      expect(registry.seen[0]).toMatchObject({
        method: 'POST',
        path: '/hooks/claude',
        headers: { authorization: 'Bearer pml_a_s3cr3t' },
      })
    } finally {
      await registry.stop()
    }
  })

  it('says that the hook asks another registry', async () => {
    const env = { PML_REGISTRY_URL: 'https://registry.example.com' }
    await project.run(['hooks', 'install', '--agent', 'claude', '--http'], { env })
    const { findings } = await doctor('claude')
    expect(findings.find(({ check }) => check === blocks)?.message).toBe(
      'It asks https://registry.example.com/hooks/claude, and PML_REGISTRY_URL is http://127.0.0.1:9/',
    )
  })
})

describe('settings that keep hooks from running', () => {
  const off = { disableAllHooks: true }
  const user = (...parts: string[]) => join(project.home, ...parts)

  it.each<[AgentName, string, object, () => string]>([
    ['claude', 'disableAllHooks', off, () => user('.claude', 'settings.json')],
    ['claude', 'disableAllHooks', off, () => project.at('.claude', 'settings.local.json')],
    ['copilot', 'disableAllHooks', off, () => project.at('.github', 'copilot', 'settings.json')],
    ['copilot', 'disableAllHooks', off, () => user('.copilot', 'settings.json')],
    [
      'gemini',
      'hooksConfig.enabled',
      { hooksConfig: { enabled: false } },
      () => user('.gemini', 'settings.json'),
    ],
    [
      'gemini',
      'hooksConfig.disabled',
      { hooksConfig: { disabled: ['pml'] } },
      () => user('.gemini', 'settings.json'),
    ],
  ])('are found for %s: %s', async (agent, key, settings, file) => {
    await install(agent)
    await project.write(file(), `// mine\n${JSON.stringify(settings)}`)
    const { isHealthy, findings } = await doctor(agent)
    expect(findings).toContainEqual({
      check: 'agent settings',
      level: 'error',
      message: expect.stringContaining(`"${key}"`),
    })
    expect(findings.find(({ check }) => check === 'agent settings')?.message).toContain(`${file()} has`)
    expect(isHealthy).toBe(false)
  })

  it.each<[string, string, object, string[]]>([
    ['managed-settings.json', 'allowManagedHooksOnly', { allowManagedHooksOnly: true }, []],
    ['managed-settings.d/10-hooks.json', 'allowManagedHooksOnly', { allowManagedHooksOnly: true }, []],
    ['managed-settings.json', 'disableAllHooks', off, []],
    [
      'managed-settings.json',
      'allowedHttpHookUrls',
      { allowedHttpHookUrls: ['https://*.other.com/*'] },
      ['--http'],
    ],
    ['managed-settings.json', 'httpHookAllowedEnvVars', { httpHookAllowedEnvVars: [] }, ['--http']],
  ])('are found where an administrator wrote them: %s, %s', async (file, key, settings, more) => {
    const managed = join(project.home, 'managed')
    await install('claude', ...more)
    expect(await examine(managed)).toEqual([])
    await project.write(join(managed, file), JSON.stringify(settings))
    expect(await examine(managed)).toEqual([expect.stringContaining(key)])
  })

  it('do not hinder a registry that an administrator allows', async () => {
    const managed = join(project.home, 'managed')
    await install('claude', '--http')
    const settings = {
      allowedHttpHookUrls: ['http://127.0.0.1:9/*'],
      httpHookAllowedEnvVars: ['PML_API_KEY'],
    }
    await project.write(join(managed, 'managed-settings.json'), JSON.stringify(settings))
    expect(await examine(managed)).toEqual([])
  })

  async function examine(managed: string): Promise<string[]> {
    await mkdir(managed, { recursive: true })
    const refuse = async () => Promise.reject(new PmlError('unavailable', 'There is none'))
    const context = {
      ops: { ...processOps(project.env), cwd: project.at() },
      signal: new AbortController().signal,
      workspace: project.at(),
      client: refuse,
      lockfile: refuse,
      onProgress: () => undefined,
      confirm: async () => true,
    }
    const findings = await examineHooks(context, { agent: 'claude', managed })
    return findings.filter(({ check }) => check === 'agent settings').map(({ message }) => message)
  }
})
