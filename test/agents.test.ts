import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { compileNative, parsePolicy } from '@pml/hooks'
import { conductOf } from '../packages/hooks/src/shell/words/known-readers.ts'
import { agentNames, agents, findAdapter, hookedAgents, type HookedAgent } from '@pml/hooks/agents'
import { plainPath } from '@pml/core/path-glob'
import { parseApprovalConfig } from '@pml/core/approval-config'
import { createApp } from '../apps/server/src/app.ts'
import { openApiDocument } from '../apps/server/src/docs/openapi.ts'
import { wantedApprovals } from '../apps/server/src/hooks/hook-bodies.ts'
import type { AppDeps } from '../apps/server/src/routes/app-deps.ts'
import { rootDir } from '../apps/server/test/paths.ts'
import { examineHooks } from '../packages/pml/src/agents/doctor/examine-hooks.ts'
import { hookAgent } from '../packages/pml/src/agents/hook-shapes.ts'
import { installHooks, uninstallHooks } from '../packages/pml/src/agents/install-hooks.ts'
import { listHooks } from '../packages/pml/src/agents/list-hooks.ts'
import { processOps } from '../packages/pml/src/machine/ops.ts'
import { JUDGING, makeHookedProject } from '../packages/pml/test/hooked-project.ts'
import { lackOf } from './agent-pages.ts'

// The agent list, the only place that names the agents, with one more agent.
vi.mock(import('../packages/hooks/src/agents/list.ts'), async (original) => {
  const { list } = await original()
  return { list: [...list, quillon(list.find(({ name }) => name === 'windsurf') as HookedAgent)] as never }
})

/** Everything that its folder would contain. */
function quillon(base: HookedAgent): HookedAgent {
  const { events, settings } = base.hooks
  return {
    ...base,
    name: 'quillon',
    title: 'Quillon Agent',
    hooks: {
      ...base.hooks,
      events: {
        ...events,
        agent: 'quillon',
        parse: (...event) => ({ ...events.parse(...event), agent: 'quillon' }),
      },
      settings: { ...settings, files: { project: ['.quillon', 'hooks.json'], user: ['hooks.json'] } },
    },
    home: { path: ['.quillon'] },
    guarded: ['**/.quillon', '**/.quillon/hooks.json'],
    unhooked: ['^quillon --bare\\b'],
  }
}

const others = hookedAgents.filter(({ name }) => String(name) !== 'quillon')
const added = hookedAgents.filter(({ name }) => String(name) === 'quillon')
const name = 'quillon' as (typeof agentNames)[number]

async function builtInPolicy(text?: string) {
  const file = join(rootDir, 'config', 'enforcement.json')
  return parsePolicy(text ?? (await readFile(file, 'utf8')), file, {
    compile: compileNative,
    examples: 'skip',
    installation: [],
  })
}

describe('an agent in the list', () => {
  it('is known to hooks, commands, policies and the OpenAPI document', async () => {
    expect(agentNames).toContain('quillon')
    expect(hookAgent.parse('quillon')).toBe('quillon')
    const document = await openApiDocument(createApp({} as AppDeps), { publicUrl: undefined, tools: [] })
    const { paths } = document as { paths: Record<string, object> }
    expect(JSON.stringify(paths['/hooks/{agent}'])).toContain('quillon')
    expect(wantedApprovals.shape.agent.options).toContain('quillon')
    const rule = { id: 'A_RULE', agents: ['quillon'], effect: 'block', reason: 'r', suggestion: 's' }
    expect((await builtInPolicy(JSON.stringify({ version: 1, rules: [rule] }))).rules).toHaveLength(1)
    const unknown = JSON.stringify({ version: 1, rules: [{ ...rule, agents: ['nobody'] }] })
    await expect(builtInPolicy(unknown)).rejects.toThrow(/expected .*windsurf, quillon/)
  })

  it('is parsed and answered', () => {
    const adapter = findAdapter('quillon')
    const event = adapter?.parse({
      agent_action_name: 'pre_run_command',
      tool_info: { command_line: 'ls', cwd: '/p' },
    })
    expect(event).toMatchObject({ agent: 'quillon', call: { kind: 'shell', command: 'ls' } })
    expect(event && adapter?.reply(event, { kind: 'block', text: 'BLOCKED::NO' })).toMatchObject({
      exitCode: 2,
    })
  })

  it('has settings that no agent may change, and may not be started without its hooks', async () => {
    const { rules } = await builtInPolicy()
    const changed = rules.find(({ id }) => id === 'GUARD_CHANGED')
    const whole = plainPath('/p/.quillon/hooks.json')
    expect(changed?.isInScope({ whole, relative: plainPath('.quillon/hooks.json') })).toBe(true)
    const commands = rules.find(({ id }) => id === 'GUARD_COMMAND')?.match?.commands ?? []
    expect(commands.some((command) => command.test('quillon --bare -p x'))).toBe(true)
  })

  it('can be installed, listed, examined and uninstalled', async () => {
    const project = await makeHookedProject()
    const context = {
      ops: { ...processOps(project.env), cwd: project.at() },
      workspace: undefined,
      signal: new AbortController().signal,
      confirm: async () => true,
      registry: () => Promise.reject(new Error('not needed')),
    }
    const where = { agent: name, scope: 'project', isDryRun: false, isSure: true } as const
    const file = project.at('.quillon', 'hooks.json')
    expect(await installHooks(context, { ...where, isHttp: false })).toMatchObject({
      file,
      result: 'written',
    })
    expect(await project.read(file)).toContain('hook --agent quillon')
    expect(await listHooks(context)).toContainEqual(
      expect.objectContaining({ agent: 'quillon', state: 'installed' }),
    )
    await project.script(JUDGING)
    const findings = await examineHooks(context, { agent: name, managed: '/none', live: undefined })
    expect(findings.map(({ level }) => level)).toEqual(['ok', 'ok', 'ok'])
    expect(await uninstallHooks(context, where)).toMatchObject({ file, result: 'removed' })
    await project.remove()
  })

  it('is reported missing on every page that lists agents', async () => {
    const pages = (await lackOf(added)).map((lack) => lack.split(':')[0])
    expect(new Set(pages)).toEqual(
      new Set([
        'docs/command-line.md',
        'docs/hooks.md',
        'docs/hooks-http.md',
        'docs/hooks-mcp.md',
        'docs/agents.md',
        'docs/walkthrough.md',
        'config/enforcement.schema.json',
      ]),
    )
  })
})

describe('every agent', () => {
  it('is on every page that lists agents', async () => {
    expect(await lackOf(others)).toEqual([])
  })

  it('has settings whose changes are security-relevant', async () => {
    const text = await readFile(join(rootDir, 'config', 'approvals.json'), 'utf8')
    const { typeOf } = parseApprovalConfig(text, 'config/approvals.json')
    const folders = others.flatMap(({ guarded }) => guarded).filter((glob) => /^\*\*\/\.\w+$/.test(glob))
    expect(folders.length).toBeGreaterThan(5)
    for (const glob of folders)
      expect([glob, typeOf(`${glob.slice(3)}/x.json`).name]).toEqual([glob, 'security'])
  })

  it('does not count as a program that changes the files in its arguments', () => {
    const programs = agents.flatMap(({ headless }) => headless?.program ?? [])
    expect(programs.filter((program) => conductOf(program, []) !== 'reads')).toEqual([])
  })
})
