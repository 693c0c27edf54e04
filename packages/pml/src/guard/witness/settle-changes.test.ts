import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookedProject, linkTo, type HookedProject } from '../../../test/hook-place.ts'
import { sha256 } from '../../machine/files/sha256.ts'
import type { HookPlace } from '../world/hook-place.ts'
import { runHook } from '../run-hook.ts'
import { acceptChanges } from './accept-changes.ts'
import { HOME, territoriesOf, territoryFolder } from './territories.ts'
import { noteAllowed } from './witness.ts'

const strong = `it('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n`
const weak = `it('adds', () => {\n  expect(add(1, 2)).toBeTruthy()\n})\n`
const settings = '{"hooks":{}}\n'
const SETTINGS = '.claude/settings.json'

interface Project extends HookedProject {
  readonly folder: string
  at(path: string): string
  read(path: string): string
}

function makeProject(over: Partial<HookPlace> = {}): Project {
  const project = hookedProject(over)
  project.write('src/add.test.ts', strong)
  project.write(SETTINGS, settings)
  const at = (path: string) => join(project.root, path)
  const folder = territoryFolder(project.root, project.place)
  return { ...project, folder, at, read: (path) => readFileSync(at(path), 'utf8') }
}

describe('an approval', () => {
  it.each([
    ['for another content', (at: Project['at']) => ({ path: at('src/add.test.ts'), hash: sha256('x') })],
    ['for another file', (at: Project['at']) => ({ path: at('src/other.test.ts'), hash: undefined })],
    [
      'that is too old',
      (at: Project['at']) => ({ path: at('src/add.test.ts'), hash: undefined, at: Date.now() - 700_000 }),
    ],
  ])('%s lets nothing pass', async (_, allowedIn) => {
    const project = makeProject()
    await project.during('make', () => undefined)
    noteAllowed(project.folder, { at: Date.now(), ...allowedIn(project.at) })
    const told = await project.during('make', () => project.write('src/add.test.ts', weak))
    expect(told).toContain('BLOCKED::TEST_WEAKENED')
  })

  it('for this content lets it pass once', async () => {
    const project = makeProject()
    await project.during('make', () => undefined)
    const allowed = { path: project.at('src/add.test.ts'), hash: sha256(weak), at: Date.now() }
    noteAllowed(project.folder, allowed)
    expect(await project.during('make', () => project.write('src/add.test.ts', weak))).toBe('')
    expect(await project.during('make', () => project.write('src/add.test.ts', strong))).toBe('')
    const again = await project.during('make', () => project.write('src/add.test.ts', weak))
    expect(again).toContain('BLOCKED::TEST_WEAKENED')
  })
})

describe('a policy that a call wrote', () => {
  const rule = {
    id: 'MADE_UP',
    tools: ['write'],
    paths: ['**/*.test.ts'],
    effect: 'block',
    reason: 'the call says so',
    suggestion: 'Leave it.',
    examples: { match: [{ path: 'a.test.ts', content: '' }], pass: [{ path: 'a.ts', content: '' }] },
  }

  it('judges nothing, whatever comes first', async () => {
    const project = makeProject()
    project.write('.pml/enforcement.json', '{"version":1}')
    const tests = ['.a/a.test.ts', 'src/add.test.ts', 'z/z.test.ts']
    for (const path of tests) project.write(path, strong)
    const told = await project.during('make', () => {
      for (const path of tests) project.write(path, `${strong}${strong}`)
      project.write('.pml/enforcement.json', JSON.stringify({ version: 1, rules: [rule] }))
    })
    expect(told.match(/^BLOCKED::\w+/gm)).toEqual(['BLOCKED::GUARD_CHANGED'])
    for (const path of tests) expect(project.read(path)).toBe(`${strong}${strong}`)
  })

  it('stays if the file cannot be parsed', async () => {
    const project = makeProject()
    project.write('.pml/enforcement.json', '{"version":1}')
    await project.during('make', () => undefined)
    project.write('.pml/enforcement.json', '{{')
    expect(await project.call('Bash', { command: 'make' })).toMatchObject({ exitCode: 2 })
    expect(project.read('.pml/enforcement.json')).toBe('{{')
  })
})

describe('a change between two calls', () => {
  it('is held, not undone, by a later command that only looks', async () => {
    const project = makeProject()
    await project.during('make', () => undefined)
    project.write('.pml.json', '{"version":1}')
    await expect(project.during('make', () => undefined)).rejects.toThrow(/pml hooks accept/)
    const told = await project.during('git diff', () => undefined)
    expect(told).toContain('This file is still held')
    expect(told).toContain('pml hooks accept')
    expect(project.read('.pml.json')).toBe('{"version":1}')
  })

  it('is asked about in the next session if it guards the agent', async () => {
    const project = makeProject()
    await project.during('make', () => undefined)
    project.write('.pml.json', '{"version":1}')
    await expect(project.during('make', () => undefined, 'session-2')).rejects.toThrow(/pml hooks accept/)
  })

  it('is in the audit log once', async () => {
    const project = makeProject({ link: linkTo('http://127.0.0.1:9', 'key') })
    await project.during('make', () => undefined)
    project.write('.pml.json', '{"version":1}')
    for (let count = 0; count < 3; count++)
      await expect(project.during('make', () => undefined)).rejects.toThrow(/pml hooks accept/)
    const queue = join(project.cache, 'hooks', 'queue')
    const events = readdirSync(queue).map((name) => readFileSync(join(queue, name), 'utf8'))
    expect(events.filter((text) => text.includes('Held: '))).toHaveLength(1)
  })

  it('is not blamed on a call that started an hour ago', async () => {
    let now = Date.now()
    const project = makeProject({ now: () => now })
    await project.call('Bash', { command: 'make' })
    now += 2 * 3_600_000
    project.write('.pml.json', '{"version":1}')
    expect(await project.call('Bash', { command: 'make' })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('changed between two calls'),
    })
    expect(existsSync(project.at('.pml.json'))).toBe(true)
  })
})

describe('a file that is put back', () => {
  it('has its mode again', async () => {
    const project = makeProject()
    chmodSync(project.at(SETTINGS), 0o640)
    await project.during('make', () => {
      unlinkSync(project.at(SETTINGS))
      project.write(SETTINGS, '{}')
    })
    expect(statSync(project.at(SETTINGS)).mode & 0o777).toBe(0o640)
  })

  it.each<[string, (project: Project) => void]>([
    ['a file', ({ write }) => write(SETTINGS, '{}')],
    ['another link', ({ at, write }) => symlinkSync(write('b.json', '{}'), at(SETTINGS))],
    ['a link to the same content', ({ at, write }) => symlinkSync(write('b.json', settings), at(SETTINGS))],
  ])('is a link again where a call made it %s', async (_, work) => {
    const project = makeProject()
    const target = project.write('a.json', settings)
    unlinkSync(project.at(SETTINGS))
    symlinkSync(target, project.at(SETTINGS))
    const told = await project.during('make', () => {
      unlinkSync(project.at(SETTINGS))
      work(project)
    })
    expect(told).toContain('BLOCKED::GUARD_CHANGED')
    expect(readlinkSync(project.at(SETTINGS))).toBe(target)
    expect(project.read(SETTINGS)).toBe(settings)
  })

  it('is held if a parent folder is now a link: its target is not ours', async () => {
    const project = makeProject()
    project.write('.github/hooks/a.json', settings)
    const outside = join(project.home, 'outside', 'hooks', 'a.json')
    mkdirSync(dirname(outside), { recursive: true })
    writeFileSync(outside, '{}')
    const told = await project.during('make', () => {
      renameSync(project.at('.github'), project.at('moved'))
      symlinkSync(join(project.home, 'outside'), project.at('.github'))
    })
    expect(told).toContain('further write is refused')
    expect(readFileSync(outside, 'utf8')).toBe('{}')
  })

  it('is held if its stored content is damaged', async () => {
    const project = makeProject()
    const told = await project.during('make', () => {
      writeFileSync(join(project.folder, 'contents', sha256(settings)), 'damaged')
      project.write(SETTINGS, '{}')
    })
    expect(told).toContain('further write is refused')
    expect(project.read(SETTINGS)).toBe('{}')
  })
})

/** The events before and after a call, somewhere else or by another tool. */
async function around(
  { event }: HookedProject,
  work: () => void,
  { place, tool = 'Bash', cwd }: { place: HookPlace; tool?: string; cwd?: string },
): Promise<void> {
  const input = tool === 'Bash' ? { command: 'make' } : { about: 'nothing' }
  const before = { ...event(tool, input), ...(cwd === undefined ? {} : { cwd }) }
  await runHook('claude', JSON.stringify(before), place)
  work()
  await runHook('claude', JSON.stringify({ ...before, hook_event_name: 'PostToolUse' }), place)
}

describe('a tool that pml does not know', () => {
  it('is watched', async () => {
    const project = makeProject()
    const { place } = project
    await around(project, () => project.write(SETTINGS, '{}'), { place, tool: 'Mystery' })
    expect(project.read(SETTINGS)).toBe(settings)
  })
})

describe('a tool that only reads', () => {
  it('does not require a survey that was never made', async () => {
    const project = makeProject()
    const after = { ...project.event('Read', { file_path: 'a.ts' }), hook_event_name: 'PostToolUse' }
    const { exitCode, stdout } = await runHook('claude', JSON.stringify(after), project.place)
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
  })
})

describe('guard files', () => {
  it.each<[string, (place: HookPlace) => string]>([
    ['of pml in the home', ({ config }) => join(config, 'settings.json')],
    ['of an administrator', ({ managed }) => join(managed, 'managed-settings.json')],
    ['of an extension of Gemini', ({ home }) => join(home, '.gemini/extensions/x/hooks/hooks.json')],
    ['that start pml', ({ folders: [root = ''] }) => join(root, 'node_modules/.bin/pml')],
  ])('%s are looked after', async (_, fileOf) => {
    const project = makeProject()
    const { home } = project
    const config = join(home, '.config', 'pml')
    const place = { ...project.place, config, managed: join(home, 'ClaudeCode') }
    const file = fileOf(place)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'old')
    await around(project, () => writeFileSync(file, 'new'), { place })
    expect(readFileSync(file, 'utf8')).toBe('old')
  })

  it('of the administrators of all agents are watched', () => {
    const { place } = hookedProject({ managed: '/etc/claude-code' })
    const home = territoriesOf([], [], place).find(({ name }) => name === HOME)
    const paths = home?.starts.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['/etc/claude-code', '/etc/codex', '/etc/gemini-cli']))
  })

  it('of a pml installed in a project are watched', () => {
    const { root, place } = hookedProject()
    const installed = join(root, 'node_modules', '@pml-registry', 'pml')
    mkdirSync(installed, { recursive: true })
    const found = territoriesOf([], [root], place).find(({ pml }) => pml === installed)
    expect(found?.isGuard(join(installed, 'bin', 'pml.js'))).toBe(true)
  })

  it('are watched in a project with a very long name', async () => {
    const project = hookedProject()
    const deep = join(project.root, ...Array.from({ length: 6 }, () => 'x'.repeat(60)))
    const file = join(deep, SETTINGS)
    mkdirSync(join(deep, '.git'), { recursive: true })
    mkdirSync(dirname(file))
    writeFileSync(file, settings)
    const place = { ...project.place, folders: [deep] }
    await around(project, () => writeFileSync(file, '{}'), { place, cwd: deep })
    expect(readFileSync(file, 'utf8')).toBe(settings)
  })
})

describe('a held file', () => {
  it('is undone by exactly its old content, and by nothing else', async () => {
    const project = makeProject()
    await project.during('make', () => project.write('src/add.test.ts', weak))
    const write = (path: string, content: string) =>
      project.call('Write', { file_path: project.at(path), content })
    expect(await write('src/add.test.ts', `${strong}\n`)).toMatchObject({ exitCode: 2 })
    expect(await write('src/other.test.ts', strong)).toMatchObject({ exitCode: 2 })
    expect(await write('src/add.test.ts', strong)).toMatchObject({ exitCode: 0 })
  })

  it('is not accepted without having been listed', async () => {
    const project = makeProject()
    await project.during('make', () => undefined)
    await project.during('make', () => unlinkSync(join(project.folder, 'seen')))
    await acceptChanges(project.folder, [])
    await expect(project.during('make', () => undefined)).rejects.toThrow(/its changes are unknown/)
  })
})
