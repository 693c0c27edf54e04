import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { agentNames } from '@pml/hooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHookedProject, type HookedProject } from '../../test/hooked-project.ts'
import type { listHooks } from './list-hooks.ts'

type InstalledHooks = Awaited<ReturnType<typeof listHooks>>[number]

let project: HookedProject
beforeEach(async () => {
  project = await makeHookedProject()
})
afterEach(() => project.remove())

async function status(): Promise<InstalledHooks[]> {
  const { hooks } = await project.json(['hooks', 'status'])
  return hooks as InstalledHooks[]
}

async function stateOf(agent: string, scope = 'project'): Promise<InstalledHooks | undefined> {
  return (await status()).find((one) => one.agent === agent && one.scope === scope)
}

describe('pml hooks status', () => {
  it('tells of every agent, of the project and of the user', async () => {
    const found = await status()
    expect(found.map(({ agent, scope, state }) => [agent, scope, state])).toEqual(
      agentNames.flatMap((agent) => ['project', 'user'].map((scope) => [agent, scope, 'not installed'])),
    )
    expect(found[0]?.file).toBe(project.at('.claude', 'settings.json'))
    expect(found[1]?.file).toBe(join(project.home, '.claude', 'settings.json'))
  })

  it.each(agentNames)('sees what was installed for %s, in both scopes', async (agent) => {
    for (const scope of ['project', 'user']) {
      expect((await stateOf(agent, scope))?.state).toBe('not installed')
      await project.run(['hooks', 'install', '--agent', agent, '--scope', scope])
      expect(await stateOf(agent, scope)).toMatchObject({ state: 'installed', advice: '' })
    }
  })

  it('sees that another registry judges as installed too', async () => {
    const env = { PML_REGISTRY_URL: 'https://registry.example.com' }
    await project.run(['hooks', 'install', '--agent', 'claude', '--http'], { env })
    expect(await stateOf('claude')).toMatchObject({ state: 'installed' })
  })

  it('sees that settings differ from what this version writes', async () => {
    await project.run(['hooks', 'install', '--agent', 'claude'])
    const file = project.at('.claude', 'settings.json')
    const text = (await project.read(file)) ?? ''
    await project.write(file, text.replace('"matcher": "*"', '"matcher": "Bash"'))
    expect(await stateOf('claude')).toMatchObject({
      state: 'differs',
      advice: expect.stringContaining('run "pml hooks install --agent claude --scope project"'),
    })
  })

  it.each(['claude', 'copilot', 'cursor', 'gemini', 'opencode', 'windsurf'])(
    'sees that the pml which %s would start is gone',
    async (agent) => {
      await project.run(['hooks', 'install', '--agent', agent])
      const script = project.at('node_modules', '@pml-registry', 'pml', 'bin', 'pml.js')
      await rm(script)
      expect(await stateOf(agent)).toMatchObject({
        state: 'command missing',
        advice: expect.stringContaining(`There is no ${script}: every call is refused`),
      })
    },
  )

  it.each([
    [`node '/it'\\''s gone/pml.js' hook --agent codex`, `/it's gone/pml.js`],
    ['/usr/bin/node "/gone too/pml.js" hook --agent codex || exit 2', '/gone too/pml.js'],
    ['node /gone\\ away/pml.js hook --agent codex', '/gone away/pml.js'],
  ])('accepts a line that it would not write itself: %s', async (command, script) => {
    const settings = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } }
    await project.write(project.at('.codex', 'hooks.json'), JSON.stringify(settings))
    expect(await stateOf('codex')).toMatchObject({
      state: 'command missing',
      advice: expect.stringContaining(`There is no ${script}:`),
    })
  })

  it('leaves to PATH what PATH decides', async () => {
    const settings = { hooks: { PreToolUse: [{ hooks: [{ command: 'pml hook --agent codex' }] }] } }
    await project.write(project.at('.codex', 'hooks.json'), JSON.stringify(settings))
    expect(await stateOf('codex')).toMatchObject({ state: 'differs' })
  })

  it('tells of settings that cannot be read, and of all others', async () => {
    await project.write(project.at('.claude', 'settings.json'), '{')
    await project.run(['hooks', 'install', '--agent', 'cursor'])
    expect(await stateOf('claude')).toMatchObject({
      state: 'unreadable',
      advice: expect.stringContaining('settings.json:1:2: expected valid JSON'),
    })
    expect(await stateOf('cursor')).toMatchObject({ state: 'installed' })
  })
})
