import { mkdir, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PmlError } from '@pml/core'
import { agentNames, type AgentName } from '@pml/hooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { JUDGING, makeHookedProject, type HookedProject } from '../../../test/hooked-project.ts'
import { startPeer } from '../../../test/peer.ts'
import type { RunOptions } from '../../../test/pml-process.ts'
import { processOps } from '../../machine/ops.ts'
import { examineHooks, type HookFinding } from './examine-hooks.ts'

let project: HookedProject
beforeEach(async () => {
  project = await makeHookedProject()
})
afterEach(() => project.remove())

const install = (agent: AgentName, ...more: string[]) =>
  project.run(['hooks', 'install', '--agent', agent, ...more])

async function doctor(agent: AgentName, options?: RunOptions) {
  const { exit, stdout } = await project.run(['hooks', 'doctor', '--agent', agent, '--json'], options)
  const { isHealthy, findings } = JSON.parse(stdout) as { isHealthy: boolean; findings: HookFinding[] }
  expect(exit).toBe(isHealthy ? 0 : 1)
  return { isHealthy, findings }
}

/** The agent is there, new enough, and trusts the folder. */
async function trust(agent: AgentName): Promise<void> {
  const versions = { claude: '2.1.326', cursor: '2.10.1', gemini: '0.61.0', codex: '0.169.0' }
  const version = versions[agent as keyof typeof versions] as string | undefined
  if (version !== undefined) await project.program(agent, `echo ${version}`)
  await project.write(
    join(project.home, '.claude.json'),
    JSON.stringify({ projects: { [project.at()]: { hasTrustDialogAccepted: true } } }),
  )
  await project.write(
    join(project.home, '.copilot', 'config.json'),
    JSON.stringify({ trustedFolders: [project.at()] }),
  )
  await project.write(
    join(project.home, '.gemini', 'trustedFolders.json'),
    JSON.stringify({ [project.at()]: 'TRUST_FOLDER' }),
  )
}

/** What Codex says about the hooks in the settings, once it is asked as its app server is. */
async function codexSays(
  status: string,
  sourcePath = project.at('.codex', 'hooks.json'),
  changes: readonly object[] = [{}],
): Promise<void> {
  const ours = {
    command: 'node /x/pml.js hook --agent codex',
    eventName: 'preToolUse',
    sourcePath,
    enabled: true,
    trustStatus: status,
  }
  const theirs = { ...ours, command: 'theirs.sh', trustStatus: 'trusted' }
  const hooks = [...changes.map((change) => ({ ...ours, ...change })), theirs]
  const answer = JSON.stringify({ id: 2, result: { data: [{ hooks: status === 'unloaded' ? [] : hooks }] } })
  await project.program(
    'codex',
    `[ "$1" = --version ] && echo codex-cli 0.169.0 && exit
     while read -r line; do
       case $line in *hooks/list*) echo '{"method":"configWarning"}'; echo '${answer}';; esac
     done
     exec sleep 60`,
  )
}

const blocks = 'project hook blocks workspace/send_telegram.js'
const letsThrough = 'project hook lets through notes.md'

describe('pml hooks doctor', () => {
  it.each(['claude', 'copilot', 'cursor', 'gemini', 'opencode', 'windsurf'] as const)(
    'runs the hook of %s on something to block and something to let through',
    async (agent) => {
      await install(agent)
      await trust(agent)
      const { isHealthy, findings } = await doctor(agent)
      expect(findings).toContainEqual({ check: blocks, level: 'ok', message: 'works' })
      expect(findings).toContainEqual({ check: letsThrough, level: 'ok', message: 'works' })
      expect(isHealthy).toBe(true)
    },
  )

  it('sends the agent’s event from a temporary folder', async () => {
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

  it('does not report its trials to the registry', async () => {
    await install('claude')
    await trust('claude')
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
    await rm(project.at('node_modules', '@pml-registry', 'pml', 'bin', 'pml.js'))
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
    await project.write(file, text.replace('pre_mcp_tool_use', 'pre_other'))
    expect((await doctor('windsurf')).findings).toContainEqual({
      check: 'project settings',
      level: 'error',
      message: expect.stringContaining(
        'No hook of pml for all calls at pre_mcp_tool_use; run "pml hooks install',
      ),
    })
  })

  it.each<[AgentName, string[], string[]]>([
    ['claude', ['.claude', 'settings.json'], ['PostToolUse', 'PostToolUseFailure']],
    ['codex', ['.codex', 'hooks.json'], ['PostToolUse']],
    ['copilot', ['.github', 'hooks', 'pml.json'], ['postToolUse']],
    ['cursor', ['.cursor', 'hooks.json'], ['afterShellExecution', 'afterMCPExecution', 'postToolUse']],
    ['gemini', ['.gemini', 'settings.json'], ['AfterTool']],
    ['windsurf', ['.windsurf', 'hooks.json'], ['post_run_command', 'post_mcp_tool_use']],
  ])('says that changes after calls of %s are not checked', async (agent, path, events) => {
    await install(agent)
    await trust(agent)
    if (agent === 'codex') await codexSays('trusted')
    expect((await doctor(agent)).isHealthy).toBe(true)
    const { hooks, ...rest } = JSON.parse((await project.read(project.at(...path))) ?? '') as {
      hooks: Record<string, unknown>
    }
    const left = Object.entries(hooks).filter(([event]) => !events.includes(event))
    await project.write(project.at(...path), JSON.stringify({ ...rest, hooks: Object.fromEntries(left) }))
    const { isHealthy, findings } = await doctor(agent)
    expect(findings).toContainEqual({
      check: 'project settings',
      level: 'error',
      message: `No hook of pml at ${events.join(', ')}: changes of a call are not checked afterwards; run "pml hooks install --agent ${agent} --scope project"`,
    })
    expect(isHealthy).toBe(false)
  })

  it.each([
    ['"matcher": "*"', '"matcher": "Read"'],
    ['"type": "command"', '"type": "command", "async": true'],
    ['"type": "command"', '"type": "command", "if": "Bash(git *)"'],
  ])('does not take a hook for one of all calls where %s is %s', async (plain, narrow) => {
    await install('claude')
    await trust('claude')
    const file = project.at('.claude', 'settings.json')
    await project.write(file, ((await project.read(file)) ?? '').replace(plain, narrow))
    const { isHealthy, findings } = await doctor('claude')
    expect(findings).toContainEqual({
      check: 'project settings',
      level: 'error',
      message: expect.stringContaining('No hook of pml for all calls at PreToolUse; run "pml hooks install'),
    })
    expect(isHealthy).toBe(false)
  })

  it('runs the line in the settings, and says that it differs', async () => {
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
    ['claude', '2.1.294 (Claude Code)', 'warning', '2.1.294 is older than 2.1.295: it ignores onFailure'],
    ['claude', '2.1.295 (Claude Code)', 'ok', '2.1.295'],
    ['claude', '3.0.0', 'ok', '3.0.0'],
    ['gemini', '0.25.9', 'warning', '0.25.9 is older than 0.26.0: its hooks are off'],
    ['cursor', '2.10.1\nabc\nx64', 'ok', '2.10.1'],
    ['claude', 'who knows', 'unknown', 'It is not on PATH or prints no version; expected 2.1.295 or later'],
  ] as const)('says what %s %s does not know', async (agent, said, level, message) => {
    await install(agent)
    await trust(agent)
    await project.program(agent, `echo '${said}'`)
    const { isHealthy, findings } = await doctor(agent)
    expect(findings).toContainEqual({
      check: `${agent} --version`,
      level,
      message: expect.stringContaining(message),
    })
    expect(isHealthy).toBe(level !== 'unknown')
  })

  it('waits for an agent that is slow to say its version, and not for ever', async () => {
    await install('claude')
    await trust('claude')
    await project.program('claude', 'sleep 7; echo 2.1.326')
    expect((await doctor('claude')).isHealthy).toBe(true)
    await project.program('claude', 'exec sleep 60')
    const { isHealthy, findings } = await doctor('claude')
    expect(findings).toContainEqual(expect.objectContaining({ check: 'claude --version', level: 'unknown' }))
    expect(isHealthy).toBe(false)
  })

  it.each([
    ['trusted', 'ok', 'Codex runs it (trusted)'],
    ['managed', 'ok', 'Codex runs it (managed)'],
    ['untrusted', 'error', 'which is not trusted: start codex and type /hooks'],
    ['modified', 'error', 'which has changed since it was trusted: start codex and type /hooks'],
    ['unloaded', 'error', 'and trust the project, or install with --scope user'],
    ['odd', 'unknown', 'Codex says "odd" about the hook'],
  ])('asks Codex whether it runs the hook: %s', async (status, level, message) => {
    await install('codex')
    await codexSays(status)
    const { isHealthy, findings } = await doctor('codex')
    expect(findings).toContainEqual({
      check: 'project trust',
      level,
      message: expect.stringContaining(message),
    })
    expect(isHealthy).toBe(level === 'ok')
  })

  it.each<[string, object, string]>([
    ['is switched off', { enabled: false }, 'is switched off'],
    ['is of another event', { eventName: 'sessionStart' }, 'Codex does not load'],
    ['is of another file', { sourcePath: '/elsewhere/hooks.json' }, 'Codex does not load'],
  ])('does not count a hook of Codex that %s', async (_what, change, message) => {
    await install('codex')
    await codexSays('trusted', undefined, [change])
    const { isHealthy, findings } = await doctor('codex')
    expect(findings).toContainEqual({
      check: 'project trust',
      level: 'error',
      message: expect.stringContaining(message),
    })
    expect(isHealthy).toBe(false)
  })

  it('says that Codex skips the hook after calls, which is trusted by itself', async () => {
    await install('codex')
    await codexSays('trusted', undefined, [{}, { eventName: 'postToolUse', trustStatus: 'untrusted' }])
    const { isHealthy, findings } = await doctor('codex')
    expect(findings).toContainEqual({
      check: 'project trust',
      level: 'error',
      message: expect.stringContaining('which is not trusted: start codex and type /hooks'),
    })
    expect(isHealthy).toBe(false)
  })

  it('counts a hook of the user that Codex runs where it skips that of the project', async () => {
    await install('codex')
    await install('codex', '--scope', 'user')
    await codexSays('trusted', join(project.home, '.codex', 'hooks.json'))
    const { isHealthy, findings } = await doctor('codex')
    expect(findings).toContainEqual(expect.objectContaining({ check: 'user trust', level: 'ok' }))
    expect(findings).toContainEqual(expect.objectContaining({ check: 'project trust', level: 'warning' }))
    expect(isHealthy).toBe(true)
  })

  it.each([
    ['is not there', undefined, 'codex is not on PATH'],
    ['ends without a word', 'exit 1', 'exited without a response'],
    [
      'does not know the question',
      `[ "$1" = --version ] && exec echo 0.169.0; read -r a; echo '{"id":2,"error":{"code":-32601}}'; sleep 60`,
      'update it',
    ],
  ])('does not call Codex well that %s', async (_what, program, why) => {
    await install('codex')
    if (program !== undefined) await project.program('codex', program)
    const env: Record<string, string> = program === undefined ? { PATH: dirname(process.execPath) } : {}
    const { isHealthy, findings } = await doctor('codex', { env })
    expect(findings).toContainEqual({
      check: 'trust',
      level: 'unknown',
      message: expect.stringContaining(why),
    })
    expect(isHealthy).toBe(false)
  })

  it.each<[AgentName, string[], unknown, string]>([
    ['copilot', ['.copilot', 'config.json'], { trustedFolders: ['ROOT'] }, 'ok'],
    ['copilot', ['.copilot', 'config.json'], { trusted_folders: ['ABOVE'] }, 'ok'],
    ['copilot', ['.copilot', 'config.json'], { trustedFolders: ['ROOT/below'] }, 'error'],
    ['copilot', ['.copilot', 'other.json'], {}, 'error'],
    ['gemini', ['.gemini', 'trustedFolders.json'], { ROOT: 'TRUST_FOLDER' }, 'ok'],
    ['gemini', ['.gemini', 'trustedFolders.json'], { 'ROOT/x': 'TRUST_PARENT' }, 'ok'],
    ['gemini', ['.gemini', 'trustedFolders.json'], { ABOVE: 'TRUST_FOLDER', ROOT: 'DO_NOT_TRUST' }, 'error'],
    ['gemini', ['.gemini', 'trustedFolders.json'], {}, 'error'],
    ['gemini', ['.gemini', 'settings.json'], { security: { folderTrust: { enabled: false } } }, 'ok'],
  ])('says whether %s trusts the folder: %j has %j', async (agent, file, value, level) => {
    await install(agent)
    const text = JSON.stringify(value)
      .replaceAll('ROOT', project.at())
      .replaceAll('ABOVE', dirname(project.at()))
    await project.write(join(project.home, ...file), text)
    const { isHealthy, findings } = await doctor(agent)
    const trusts = findings.filter(({ check }) => check === 'trust')
    expect(trusts.map((one) => one.level)).toEqual([level])
    if (level === 'error') expect(isHealthy).toBe(false)
    await install(agent, '--scope', 'user')
    const covered = (await doctor(agent)).findings.filter(({ check }) => check === 'trust')
    // Gemini CLI runs no hook at all in a folder that is not trusted.
    const left = agent === 'gemini' ? 'error' : 'warning'
    expect(covered.map((one) => one.level)).toEqual([level === 'ok' ? 'ok' : left])
  })

  it.each<[Record<string, string>, string]>([
    [{ GEMINI_CLI_TRUST_WORKSPACE: 'true' }, 'ok'],
    [{ GEMINI_CLI_TRUST_WORKSPACE: 'false' }, 'error'],
    [{ GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_RESTRICTED_MODE: 'true' }, 'error'],
  ])('heeds %j', async (env, level) => {
    await install('gemini')
    const { findings } = await doctor('gemini', { env })
    expect(findings).toContainEqual(expect.objectContaining({ check: 'trust', level }))
  })

  it('says that Gemini CLI skips the hook of the user as well where the folder is not trusted', async () => {
    await install('gemini', '--scope', 'user')
    await trust('gemini')
    expect((await doctor('gemini')).isHealthy).toBe(true)
    const rules = JSON.stringify({ [project.at()]: 'DO_NOT_TRUST' })
    await project.write(join(project.home, '.gemini', 'trustedFolders.json'), rules)
    const { isHealthy, findings } = await doctor('gemini')
    expect(findings).toContainEqual({
      check: 'trust',
      level: 'error',
      message: `Gemini CLI runs no hook in ${project.at()}, which is not trusted: start gemini there and trust the folder`,
    })
    expect(isHealthy).toBe(false)
  })

  it('finds a folder that Copilot trusts by another name', async () => {
    await install('copilot')
    const link = join(project.home, 'link')
    await symlink(project.at(), link)
    await project.write(
      join(project.home, '.copilot', 'config.json'),
      JSON.stringify({ trustedFolders: [link] }),
    )
    expect((await doctor('copilot')).findings).toContainEqual(
      expect.objectContaining({ check: 'trust', level: 'ok' }),
    )
  })

  it.each<[AgentName, string[]]>([
    ['claude', ['.claude.json']],
    ['copilot', ['.copilot', 'config.json']],
    ['gemini', ['.gemini', 'trustedFolders.json']],
    ['gemini', ['.gemini', 'settings.json']],
  ])('does not know whether %s trusts the folder where %j is broken', async (agent, path) => {
    await install(agent)
    await trust(agent)
    for (const text of ['{"trustedFolders": [', '7']) {
      await project.write(join(project.home, ...path), text)
      const { isHealthy, findings } = await doctor(agent)
      expect(findings).toContainEqual({
        check: 'trust',
        level: 'unknown',
        message: expect.stringContaining(
          `Cannot read ${join(project.home, ...path)}: expected a JSON object`,
        ),
      })
      expect(isHealthy).toBe(false)
    }
  })

  it.each(['claude', 'gemini'] as const)('says that %s loads nothing from a folder below', async (agent) => {
    await install(agent)
    const below = async () => (await doctor(agent)).findings.filter(({ check }) => check === 'subfolders')
    expect(await below()).toEqual([
      expect.objectContaining({ level: 'warning', message: expect.stringContaining('--scope user') }),
    ])
    await install(agent, '--scope', 'user')
    expect(await below()).toEqual([])
  })

  it('says that a hook can answer for the person', async () => {
    await install('claude')
    const file = project.at('.claude', 'settings.local.json')
    const hooks = { Elicitation: [{ hooks: [{ type: 'command', command: 'yes' }] }] }
    await project.write(file, JSON.stringify({ hooks }))
    const { isHealthy, findings } = await doctor('claude')
    expect(findings).toContainEqual({
      check: 'agent settings',
      level: 'error',
      message: `${file} has an "Elicitation" hook: it can answer for the person what pml asks; remove it`,
    })
    expect(isHealthy).toBe(false)
  })

  it('says that Claude Code does not trust the folder, where it knows', async () => {
    await install('claude')
    const trusts = async () =>
      (await doctor('claude')).findings.filter(({ check }) => check === 'trust').map(({ level }) => level)
    expect(await trusts()).toEqual(['unknown'])
    const config = join(project.home, '.claude.json')
    await project.write(
      config,
      JSON.stringify({ projects: { '/elsewhere': { hasTrustDialogAccepted: true } } }),
    )
    expect(await trusts()).toEqual(['error'])
    await project.write(
      config,
      JSON.stringify({ projects: { [project.at()]: { hasTrustDialogAccepted: true } } }),
    )
    expect(await trusts()).toEqual(['ok'])
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
    ['copilot', 'disableAllHooks', off, () => project.at('.github', 'copilot', 'settings.local.json')],
    ['copilot', 'disableAllHooks', off, () => project.at('.claude', 'settings.json')],
    ['copilot', 'disableAllHooks', off, () => project.at('.claude', 'settings.local.json')],
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

  it('are found in the file that has the hook', async () => {
    await install('copilot')
    await trust('copilot')
    const file = project.at('.github', 'hooks', 'pml.json')
    await project.write(file, ((await project.read(file)) ?? '').replace('{', '{ "disableAllHooks": true,'))
    expect((await doctor('copilot')).findings).toContainEqual({
      check: 'agent settings',
      level: 'error',
      message: `${file} has "disableAllHooks": no hook runs`,
    })
  })

  it.each<[AgentName, () => string]>([
    ['claude', () => user('.claude', 'settings.json')],
    ['claude', () => project.at('.claude', 'settings.local.json')],
    ['copilot', () => project.at('.github', 'copilot', 'settings.json')],
    ['copilot', () => user('.copilot', 'settings.json')],
    ['gemini', () => user('.gemini', 'settings.json')],
  ])('are not known where settings of %s cannot be read', async (agent, file) => {
    await install(agent)
    await trust(agent)
    for (const [text, why] of [
      ['{"disableAllHooks": true', 'expected a JSON object'],
      ['[]', 'expected a JSON object'],
    ] as const) {
      await project.write(file(), text)
      const { isHealthy, findings } = await doctor(agent)
      expect(findings).toContainEqual({
        check: 'agent settings',
        level: 'unknown',
        message: `It is unknown whether hooks are turned off: Cannot read ${file()}: ${why}; fix it, or remove it`,
      })
      expect(isHealthy).toBe(false)
    }
    await rm(file())
    await mkdir(file())
    expect((await doctor(agent)).findings).toContainEqual({
      check: 'agent settings',
      level: 'unknown',
      message: expect.stringContaining(`Cannot read ${file()}: `),
    })
  })

  it('are none in an empty file', async () => {
    await install('claude')
    await trust('claude')
    await project.write(project.at('.claude', 'settings.local.json'), '\n')
    expect((await doctor('claude')).isHealthy).toBe(true)
  })

  it.each<[string, string, object, string[]]>([
    ['managed-settings.json', 'allowManagedHooksOnly', { allowManagedHooksOnly: true }, []],
    ['managed-settings.d/10-hooks.json', 'allowManagedHooksOnly', { allowManagedHooksOnly: true }, []],
    ['managed-settings.json', 'disableAllHooks', off, []],
    ['managed-settings.json', 'Elicitation', { hooks: { Elicitation: [{}] } }, []],
    ['managed-settings.d/10-hooks.json', 'Elicitation', { hooks: { Elicitation: [{}] } }, []],
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
      registry: refuse,
    }
    const findings = await examineHooks(context, { agent: 'claude', managed, live: undefined })
    return findings.filter(({ check }) => check === 'agent settings').map(({ message }) => message)
  }
})
