import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookedProject, linkTo, pmlFile, type HookedProject } from '../../../test/hook-place.ts'
import { runPml } from '../../../test/pml-process.ts'
import { hasTerminal, runOnTerminal } from '../../../test/terminal.ts'
import { answerAnywhere } from '../../../test/test-workspace.ts'
import { noteOwnWritesIn } from '../../machine/files/own-writes.ts'
import { writeAtomically } from '../../machine/files/write-atomically.ts'
import type { HookPlace } from '../world/hook-place.ts'
import { runHook } from '../run-hook.ts'
import { acceptChanges, listHeld } from './accept-changes.ts'
import { territoryFolder } from './territories.ts'
import { noteAllowed } from './witness.ts'

const strong = `it('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n`
const weak = `it('adds', () => {\n  expect(add(1, 2)).toBeTruthy()\n})\n`
const settings = '{"hooks":{}}\n'

/** So late that no file has just changed: then the system is believed. */
const later = () => Date.now() + 60_000

function makeProject(
  over: Partial<HookPlace> = {},
): HookedProject & { at(path: string): string; read(path: string): string } {
  const project = hookedProject(over)
  project.write('src/add.test.ts', strong)
  project.write('.claude/settings.json', settings)
  const at = (path: string) => join(project.root, path)
  return { ...project, at, read: (path) => readFileSync(at(path), 'utf8') }
}

const savedIn = (text: string) => readFileSync(/^SAVED::(.+)$/m.exec(text)?.[1] ?? '', 'utf8')

describe('a call that changed nothing that rules protect', () => {
  it('gets no message', async () => {
    const project = makeProject()
    expect(await project.during('make', () => project.write('src/add.ts', 'export {}\n'))).toBe('')
    expect(await project.during('make', () => project.write('src/add.test.ts', `${strong}${strong}`))).toBe(
      '',
    )
  })

  it('may be made in a folder that is gone', async () => {
    const project = makeProject()
    const gone = join(project.home, '..', 'gone')
    const place = { ...project.place, folders: [gone] }
    for (const name of ['PreToolUse', 'PostToolUse']) {
      const event = { ...project.event('Bash', { command: 'make' }), cwd: gone, hook_event_name: name }
      expect(await runHook('claude', JSON.stringify(event), place)).toMatchObject({ exitCode: 0, stdout: '' })
    }
    const write = { ...project.event('Write', { file_path: project.at('a.md'), content: '' }), cwd: gone }
    expect(await runHook('claude', JSON.stringify(write), place)).toMatchObject({ exitCode: 0, stdout: '' })
  })

  it('may move a test', async () => {
    const project = makeProject()
    const told = await project.during('make', () => {
      mkdirSync(project.at('tests'))
      renameSync(project.at('src/add.test.ts'), project.at('tests/add.test.ts'))
    })
    expect(told).toBe('')
  })
})

describe('a file that guards the agent', () => {
  it.each<[string, (project: ReturnType<typeof makeProject>) => void]>([
    ['is written', ({ at }) => writeFileSync(at('.claude/settings.json'), '{"disableAllHooks":true}')],
    ['is replaced', ({ at, write }) => renameSync(write('tmp', '{}'), at('.claude/settings.json'))],
    ['is removed', ({ at }) => unlinkSync(at('.claude/settings.json'))],
    ['goes with its folder', ({ at }) => rmSync(at('.claude'), { recursive: true })],
    ['is in a folder that is moved', ({ at }) => renameSync(at('.claude'), at('.moved'))],
    [
      'becomes a link',
      ({ at, write }) => {
        unlinkSync(at('.claude/settings.json'))
        symlinkSync(write('evil.json', '{}'), at('.claude/settings.json'))
      },
    ],
    [
      'is in a folder that becomes a link',
      ({ at, write }) => {
        write('evil/settings.json', '{}')
        renameSync(at('.claude'), at('.moved'))
        symlinkSync(at('evil'), at('.claude'))
      },
    ],
    [
      'is written through a hard link',
      ({ at }) => {
        linkSync(at('.claude/settings.json'), at('other'))
        writeFileSync(at('other'), '{}')
      },
    ],
    [
      'is written, and its time is set back',
      ({ at }) => {
        const { atime, mtime } = statSync(at('.claude/settings.json'))
        writeFileSync(at('.claude/settings.json'), '{"hooks":[]}\n')
        utimesSync(at('.claude/settings.json'), atime, mtime)
      },
    ],
    [
      'becomes a folder',
      ({ at }) => {
        unlinkSync(at('.claude/settings.json'))
        mkdirSync(at('.claude/settings.json'))
      },
    ],
  ])('is put back when it %s', async (_, work) => {
    const project = makeProject()
    const told = await project.during('make', () => work(project))
    expect(told).toContain('BLOCKED::GUARD_CHANGED')
    expect(told).toContain('was restored')
    expect(project.read('.claude/settings.json')).toBe(settings)
    expect(statSync(project.at('.claude')).isDirectory()).toBe(true)
    expect(await project.during('make', () => undefined)).toBe('')
  })

  it('is kept aside as the call left it, for its owner alone', async () => {
    const project = makeProject()
    const told = await project.during('make', () => project.write('.claude/settings.json', '{"evil":1}'))
    expect(savedIn(told)).toBe('{"evil":1}')
    expect(statSync(/^SAVED::(.+)$/m.exec(told)?.[1] ?? '').mode & 0o777).toBe(0o600)
  })

  it('is taken away when the call made it', async () => {
    const project = makeProject()
    const told = await project.during('make', () => project.write('.pml/enforcement.json', '{"version":1}'))
    expect(told).toContain('was removed')
    expect(existsSync(project.at('.pml/enforcement.json'))).toBe(false)
  })

  it('is watched in the home too', async () => {
    const project = makeProject()
    mkdirSync(join(project.home, '.codex'))
    writeFileSync(join(project.home, '.codex', 'hooks.json'), '{}')
    const told = await project.during('make', () =>
      writeFileSync(join(project.home, '.codex', 'hooks.json'), '{"hooks":{}}'),
    )
    expect(told).toContain('BLOCKED::GUARD_CHANGED')
    expect(readFileSync(join(project.home, '.codex', 'hooks.json'), 'utf8')).toBe('{}')
  })

  it('is watched where a variable has moved it', async () => {
    const project = makeProject()
    const moved = join(project.home, 'moved')
    const file = join(moved, '.gemini', 'settings.json')
    mkdirSync(join(moved, '.gemini'), { recursive: true })
    writeFileSync(file, '{}')
    const place = { ...project.place, env: { GEMINI_CLI_HOME: moved } }
    const event = { ...project.event('Bash', { command: 'make' }) }
    await runHook('claude', JSON.stringify(event), place)
    writeFileSync(file, '{"hooksConfig":{"enabled":false}}')
    await runHook('claude', JSON.stringify({ ...event, hook_event_name: 'PostToolUse' }), place)
    expect(readFileSync(file, 'utf8')).toBe('{}')
  })

  it('that changed between two calls is asked about and not undone', async () => {
    const project = makeProject()
    await project.during('make', () => undefined)
    project.write('.pml.json', '{"version":1}')
    await expect(project.during('make', () => undefined)).rejects.toThrow(/pml hooks accept/)
    expect(project.read('.pml.json')).toBe('{"version":1}')
    // Once more: what is asked about is not taken for the work of the next call.
    await expect(project.during('make', () => undefined)).rejects.toThrow(/pml hooks accept/)
    expect(project.read('.pml.json')).toBe('{"version":1}')
    unlinkSync(project.at('.pml.json'))
    expect(await project.during('make', () => undefined)).toBe('')
  })
})

describe('a permission that Claude Code notes while a call waits for its person', () => {
  const noted = (rule: string, more = {}) =>
    JSON.stringify({ permissions: { allow: ['Bash(ls:*)', rule], ...more } })
  const first = JSON.stringify({ permissions: { allow: ['Bash(ls:*)'] } })

  it.each([
    ['for that command stays', 'npm test', 'Bash(npm test:*)', {}, true],
    ['for every command is undone', 'npm test', 'Bash(*)', {}, false],
    ['for another command is undone', 'npm test', 'Bash(rm:*)', {}, false],
    ['for another tool is undone', 'npm test', 'Edit(npm test:*)', {}, false],
    ['for any command is undone, however this one begins', ' make', 'Bash(:*)', {}, false],
    ['beside another change is undone', 'npm test', 'Bash(npm test:*)', { defaultMode: 'auto' }, false],
  ])('%s', async (_, command, rule, more, isKept) => {
    const project = makeProject()
    project.write('.claude/settings.local.json', first)
    const text = noted(rule, more)
    const told = await project.during(command, () => project.write('.claude/settings.local.json', text))
    expect(told === '').toBe(isKept)
    expect(project.read('.claude/settings.local.json')).toBe(isKept ? text : first)
  })
})

describe('a script that is forbidden', () => {
  it('is taken away', async () => {
    const project = makeProject()
    const told = await project.during('make', () => project.write('workspace/send.js', 'telegram()'))
    expect(told).toContain('BLOCKED::EXECUTABLE_IN_WORKSPACE')
    expect(existsSync(project.at('workspace/send.js'))).toBe(false)
    expect(savedIn(told)).toBe('telegram()')
  })
})

describe('a test that a call weakened', () => {
  it('holds every further write until it is undone', async () => {
    const project = makeProject()
    const told = await project.during('make', () => project.write('src/add.test.ts', weak))
    expect(told).toContain('BLOCKED::TEST_WEAKENED')
    expect(told).toContain('further write is refused')
    expect(project.read('src/add.test.ts')).toBe(weak)
    const write = (path: string, content: string) =>
      project.call('Write', { file_path: project.at(path), content })
    expect(await write('src/other.ts', '')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('TEST_WEAKENED'),
    })
    expect(await project.call('Bash', { command: 'make' })).toMatchObject({ exitCode: 2 })
    expect(await project.call('Read', { file_path: project.at('src/add.ts') })).toMatchObject({ exitCode: 0 })
    const old = /is in (.+): write exactly/.exec(told)?.[1] ?? ''
    expect(readFileSync(old, 'utf8')).toBe(strong)
    expect(await write('src/add.test.ts', strong)).toMatchObject({ exitCode: 0 })
    project.write('src/add.test.ts', strong)
    expect(await write('src/other.ts', '')).toMatchObject({ exitCode: 0 })
  })

  it('allows commands that only read, and still checks what they do', async () => {
    const project = makeProject()
    await project.during('make', () => project.write('src/add.test.ts', weak))
    for (const command of ['git diff', 'cd src && cat add.test.ts | head -3', 'ls; grep -rn add src'])
      expect(await project.call('Bash', { command })).toMatchObject({ exitCode: 0, stdout: '' })
    for (const command of [
      'make',
      'cat <(make)',
      'git diff --output=x',
      'git diff --ext-diff',
      'rg --pre ./make add',
      'ls > x',
      'git commit -am x',
      'eval $X',
    ])
      expect(await project.call('Bash', { command })).toMatchObject({ exitCode: 2 })
    const told = await project.during('git diff', () => project.write('.claude/settings.json', '{}'))
    expect(told).toContain('was restored')
  })

  it('holds writes when it is removed, too, until it is back', async () => {
    const project = makeProject({ now: later })
    const told = await project.during('make', () => unlinkSync(project.at('src/add.test.ts')))
    expect(told).toContain('further write is refused')
    for (let count = 0; count < 2; count++)
      await expect(project.during('make', () => undefined)).rejects.toThrow(/add\.test\.ts/)
    project.write('src/add.test.ts', strong)
    expect(await project.during('make', () => undefined)).toBe('')
  })

  it('passes once if it was approved, also beside a restored policy', async () => {
    const project = makeProject()
    project.write('.pml/enforcement.json', '{"version":1}')
    const allowed = { path: project.at('src/add.test.ts'), hash: undefined, at: Date.now() }
    await project.during('make', () => undefined)
    noteAllowed(territoryFolder(project.root, project.place), allowed)
    const told = await project.during('make', () => {
      project.write('.pml/enforcement.json', '{"version":1,"disabled":["TEST_WEAKENED"]}')
      project.write('src/add.test.ts', weak)
    })
    expect(told).toContain('BLOCKED::GUARD_CHANGED')
    expect(told).not.toContain('TEST_WEAKENED')
    const again = await project.during('make', () => project.write('src/add.test.ts', ''))
    expect(again).toContain('BLOCKED::TEST_WEAKENED')
  })

  it('is judged by the rules that held before the call', async () => {
    const project = makeProject()
    project.write('.pml/enforcement.json', '{"version":1}')
    const told = await project.during('make', () => {
      project.write('.pml/enforcement.json', '{"version":1,"disabled":["TEST_WEAKENED"]}')
      project.write('src/add.test.ts', weak)
    })
    expect(told).toContain('BLOCKED::GUARD_CHANGED')
    expect(told).toContain('BLOCKED::TEST_WEAKENED')
    expect(project.read('.pml/enforcement.json')).toBe('{"version":1}')
  })

  it('is not the only thing that is seen beside a policy that was put back', async () => {
    const project = makeProject()
    project.write('.pml/enforcement.json', '{"version":1}')
    const told = await project.during('make', () => {
      project.write('.pml/enforcement.json', '{"version":1,"disabled":["EXECUTABLE_IN_WORKSPACE"]}')
      project.write('.claude/settings.json', '{}')
      project.write('workspace/send.js', 'telegram()')
    })
    expect(told.match(/^BLOCKED::\w+/gm)?.toSorted()).toEqual([
      'BLOCKED::EXECUTABLE_IN_WORKSPACE',
      'BLOCKED::GUARD_CHANGED',
      'BLOCKED::GUARD_CHANGED',
    ])
    expect(project.read('.claude/settings.json')).toBe(settings)
    expect(existsSync(project.at('workspace/send.js'))).toBe(false)
  })

  it('is found after the policy was made unreadable', async () => {
    const project = makeProject()
    project.write('.pml/enforcement.json', '{"version":1}')
    const told = await project.during('make', () => {
      project.write('.pml/enforcement.json', '{{')
      project.write('src/add.test.ts', weak)
    })
    expect(told).toContain('BLOCKED::TEST_WEAKENED')
    expect(project.read('.pml/enforcement.json')).toBe('{"version":1}')
  })

  it('is found when the folder has lost what makes it a root', async () => {
    const project = makeProject()
    project.write('.pml.json', '{"version":1}')
    rmSync(project.at('.git'), { recursive: true })
    const told = await project.during('make', () => {
      unlinkSync(project.at('.pml.json'))
      project.write('src/add.test.ts', weak)
    })
    expect(told).toContain('BLOCKED::TEST_WEAKENED')
    expect(project.read('.pml.json')).toBe('{"version":1}')
  })

  it('is found when it happens after the call, by a command in the background', async () => {
    const project = makeProject()
    expect(await project.during('make &', () => undefined)).toBe('')
    project.write('src/add.test.ts', weak)
    await expect(project.during('make', () => undefined)).rejects.toThrow(/TEST_WEAKENED/)
  })

  it('is found at the next call when no event came after its own', async () => {
    const project = makeProject()
    await project.call('Bash', { command: 'make' })
    project.write('src/add.test.ts', weak)
    expect(await project.call('Bash', { command: 'make' })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('BLOCKED::TEST_WEAKENED'),
    })
  })

  it('is the person’s where no agent was at work', async () => {
    const project = makeProject()
    await project.during('make', () => undefined)
    project.write('src/add.test.ts', weak)
    expect(await project.during('make', () => undefined, 'session-2')).toBe('')
  })
})

describe('what pml itself writes', () => {
  it('is not a change that needs approval', async () => {
    const project = makeProject()
    await project.during('make', () => undefined)
    noteOwnWritesIn({ state: project.place.state, isOurs: async () => true })
    await writeAtomically(project.at('.pml.json'), '{"version":1}', { mode: 0o644, isGuard: true })
    expect(await project.during('make', () => undefined)).toBe('')
    project.write('.pml.json', '{"version":2}')
    await expect(project.during('make', () => undefined)).rejects.toThrow(/pml hooks accept/)
  })
})

describe('an installed pml', () => {
  const withPml = (name: string) => {
    const project = makeProject()
    const installed = join(project.home, name)
    const file = join(installed, 'bundle', 'main.js')
    mkdirSync(join(installed, 'bundle'), { recursive: true })
    for (let count = 0; count < 30; count++)
      writeFileSync(join(installed, 'bundle', `chunk-${count}.js`), '1')
    writeFileSync(file, 'one')
    const place = { ...project.place, installation: [installed] }
    const event = (name: string) =>
      runHook(
        'claude',
        JSON.stringify({ ...project.event('Bash', { command: 'make' }), hook_event_name: name }),
        place,
      )
    return { ...project, file, event }
  }

  it('is left as it is when another pml was at work before', async () => {
    const project = withPml('other')
    await project.call('Bash', { command: 'make' })
    expect(await project.event('PreToolUse')).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await project.event('PostToolUse')).toMatchObject({ exitCode: 0, stdout: '' })
    expect(readFileSync(project.file, 'utf8')).toBe('one')
  })

  it('that changed is asked about as a whole, and not undone', async () => {
    const project = withPml('pml')
    await project.event('PreToolUse')
    for (let count = 0; count < 30; count++)
      writeFileSync(join(project.file, '..', `chunk-${count}.js`), 'another')
    const { stdout } = await project.event('PostToolUse')
    expect(stdout.match(/BLOCKED::/g)).toHaveLength(1)
    expect(stdout).toContain('30 files, such as')
    expect(await project.event('PreToolUse')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('pml hooks accept'),
    })
    expect(readFileSync(join(project.file, '..', 'chunk-7.js'), 'utf8')).toBe('another')
    expect(await accept(project)).toHaveLength(30)
    expect(await project.event('PreToolUse')).toMatchObject({ exitCode: 0, stdout: '' })
  })
})

describe('notes that a call', () => {
  const witness = ({ place }: HookedProject) => join(place.state, 'witness')
  const folderOf = (project: HookedProject) => join(witness(project), encodeURIComponent(project.root))

  it.each<[string, (project: HookedProject) => void]>([
    ['removed', (project) => rmSync(witness(project), { recursive: true })],
    ['removed for the project', (project) => rmSync(folderOf(project), { recursive: true })],
    ['removed in part', (project) => unlinkSync(join(folderOf(project), 'seen'))],
    ['removed in another part', (project) => unlinkSync(join(folderOf(project), 'notes.json'))],
    ['damaged', (project) => writeFileSync(join(folderOf(project), 'seen'), 'nothing')],
    ['emptied', (project) => writeFileSync(join(folderOf(project), 'seen'), '')],
    ['cut', (project) => truncateSync(join(folderOf(project), 'seen'), 20_000)],
  ])('%s block every write until a person has accepted them', async (_, work) => {
    const project = makeProject()
    await project.during('make', () => undefined)
    const told = await project.during('make', () => {
      project.write('src/add.test.ts', weak)
      work(project)
    })
    expect(told).toContain('BLOCKED::GUARD_CHANGED')
    expect(told).toContain('its changes are unknown')
    await expect(project.during('make', () => undefined)).rejects.toThrow(/pml hooks accept/)
    expect(await project.call('Write', { file_path: project.at('a.ts'), content: '' })).toMatchObject({
      exitCode: 2,
    })
    expect((await accept(project)).map((path) => basename(path))).toContain(basename(folderOf(project)))
    expect(await project.during('make', () => undefined)).toBe('')
  })

  it('removed are in the audit log once', async () => {
    const link = linkTo('http://127.0.0.1:9', 'key')
    const project = makeProject({ link })
    await project.during('make', () => undefined)
    await project.during('make', () => rmSync(folderOf(project), { recursive: true }))
    await expect(project.during('make', () => undefined)).rejects.toThrow(/pml hooks accept/)
    const queue = join(project.cache, 'hooks', 'queue')
    const events = readdirSync(queue).map((name) => readFileSync(join(queue, name), 'utf8'))
    expect(events.filter((text) => text.includes('Held: The notes in'))).toHaveLength(1)
  })

  it('removed of the sessions do not hide what it changed', async () => {
    const project = makeProject()
    const told = await project.during('make', () => {
      project.write('src/add.test.ts', weak)
      unlinkSync(join(witness(project), 'sessions.json'))
    })
    expect(told).toContain('BLOCKED::TEST_WEAKENED')
  })

  it('of a folder that comes into sight after it are not missed', async () => {
    const project = makeProject()
    const inner = join(project.root, 'inner')
    expect(await project.during('make', () => mkdirSync(join(inner, '.git'), { recursive: true }))).toBe('')
    const after = {
      ...project.event('Bash', { command: 'make' }),
      hook_event_name: 'PostToolUse',
      cwd: inner,
    }
    expect(await runHook('claude', JSON.stringify(after), project.place)).toMatchObject({ stdout: '' })
  })
})

describe('files that were free until the rules changed', () => {
  it('are taken as they are', async () => {
    const project = makeProject()
    project.write('old/a.js', 'x()')
    await project.during('make', () => undefined)
    const rule = {
      id: 'NOTHING_OLD',
      tools: ['write'],
      paths: ['old/**'],
      effect: 'block',
      reason: 'it is old',
      suggestion: 'Leave it.',
      examples: { match: [{ path: 'old/a.js', content: '' }], pass: [{ path: 'a.js', content: '' }] },
    }
    noteOwnWritesIn({ state: project.place.state, isOurs: async () => true })
    const policy = JSON.stringify({ version: 1, rules: [rule] })
    mkdirSync(project.at('.pml'))
    await writeAtomically(project.at('.pml/enforcement.json'), policy, { mode: 0o644, isGuard: true })
    expect(await project.during('make', () => undefined)).toBe('')
    const told = await project.during('make', () => project.write('old/a.js', 'y()'))
    expect(told).toContain('BLOCKED::NOTHING_OLD')
    expect(project.read('old/a.js')).toBe('x()')
  })
})

describe('contents that were kept', () => {
  it('are removed at the start of a session when no file holds them any more', async () => {
    const project = makeProject()
    const start = { ...project.event('', {}), hook_event_name: 'SessionStart', source: 'startup' }
    await project.during('make', () => undefined)
    await project.during('make', () => project.write('src/add.test.ts', `${strong}${strong}`))
    const contents = join(territoryFolder(project.root, project.place), 'contents')
    const before = readdirSync(contents).length
    await runHook('claude', JSON.stringify(start), project.place)
    expect(readdirSync(contents)).toHaveLength(before - 1)
  })
})

describe('very many files', () => {
  it('that a call changed are told by their names', async () => {
    const project = makeProject()
    for (let count = 0; count < 40; count++) project.write(`src/n${count}.test.ts`, strong)
    const told = await project.during('make', () => {
      for (let count = 0; count < 40; count++) project.write(`src/n${count}.test.ts`, weak)
    })
    expect(told.match(/BLOCKED::/g)).toHaveLength(5)
    expect(told).toContain('The same holds for:\nCannot write src/n')
    expect(told).toContain('and 15 more')
  })

  it('that are too many are reported at the start of a session', async () => {
    const project = makeProject()
    mkdirSync(project.at('many'))
    for (let count = 0; count <= 20_000; count++) writeFileSync(project.at(`many/n${count}.test.ts`), '')
    const start = { ...project.event('', {}), hook_event_name: 'SessionStart', source: 'startup' }
    const { stdout } = await runHook('claude', JSON.stringify(start), project.place)
    expect(stdout).toContain(`pml cannot watch all of ${project.root}`)
    expect(await project.during('make', () => undefined)).toBe('')
  })
})

describe('a call that needs approval', () => {
  it('is watched too', async () => {
    const project = makeProject()
    const rule = {
      id: 'ASK',
      tools: ['write'],
      paths: ['secret.js'],
      match: { content: ['x'] },
      effect: 'block',
      unknown: 'ask',
      reason: 'it may hold x',
      suggestion: 'Leave it out.',
      examples: {
        match: [{ path: 'secret.js', content: 'x' }],
        pass: [{ path: 'secret.js', content: '' }],
      },
    }
    project.write('.pml/enforcement.json', JSON.stringify({ version: 1, rules: [rule] }))
    const command = 'curl https://example.com > secret.js'
    const asked = await project.call('Bash', { command })
    expect(asked.stdout).toContain('"permissionDecision":"ask"')
    const told = await project.during(
      command,
      () => project.write('.claude/settings.json', '{}'),
      'session-2',
    )
    expect(told).toContain('was restored')
  })
})

type Accepting = Pick<HookedProject, 'root' | 'home' | 'place'>

/** The environment in which pml finds what the hook of this place noted. */
async function personIn({ home, place }: Accepting): Promise<Record<string, string>> {
  const folder = join(place.state, '..')
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_STATE_HOME: join(folder, 'xdg'),
    XDG_CONFIG_HOME: join(folder, 'config'),
  }
  mkdirSync(env.XDG_STATE_HOME)
  await answerAnywhere(env.XDG_CONFIG_HOME)
  symlinkSync(place.state, join(env.XDG_STATE_HOME, 'pml'))
  return env
}

async function accept(project: Accepting): Promise<string[]> {
  const env = await personIn(project)
  const accepted = await runPml(pmlFile, ['hooks', 'accept', '--yes', '--json'], { cwd: project.root, env })
  return (JSON.parse(accepted.stdout) as { accepted: string[] }).accepted
}

describe('pml hooks accept', () => {
  it.skipIf(!hasTerminal)('shows what changed before it asks, and nothing raw', async () => {
    const project = makeProject()
    await project.during('make', () => project.write('src/add.test.ts', `${weak}// \u001b[2J\n`))
    const env = await personIn(project)
    const { root } = project
    const { text } = await runOnTerminal({ root, env }, ['hooks', 'accept'], ['n\n'])
    expect(text).toContain(`changed     ${project.at('src/add.test.ts')}`)
    expect(text).toContain('-  expect(add(1, 2)).toBe(3)')
    expect(text).toContain('+  expect(add(1, 2)).toBeTruthy()')
    expect(text).not.toContain('\u001b[2J')
    await expect(project.during('make', () => undefined)).rejects.toThrow(/pml hooks accept/)
  })

  it('lets writes pass again with the current file', async () => {
    const project = makeProject()
    await project.during('make', () => project.write('src/add.test.ts', weak))
    expect(await accept(project)).toEqual([project.at('src/add.test.ts')])
    expect(await project.during('make', () => undefined)).toBe('')
    expect(project.read('src/add.test.ts')).toBe(weak)
    const again = await project.during('make', () => project.write('src/add.test.ts', ''))
    expect(again).toContain('BLOCKED::TEST_WEAKENED')
  })

  it('takes files as they were shown, and no later state', async () => {
    const project = makeProject()
    await project.during('make', () => project.write('src/add.test.ts', weak))
    const folder = join(project.place.state, 'witness', encodeURIComponent(project.root))
    const shown = listHeld(folder)
    expect(shown).toMatchObject([{ path: project.at('src/add.test.ts'), what: 'changed' }])
    project.write('src/add.test.ts', '')
    expect(await acceptChanges(folder, shown)).toEqual(shown)
    await expect(project.during('make', () => undefined)).rejects.toThrow(/TEST_/)
    project.write('src/add.test.ts', weak)
    expect(await acceptChanges(folder, shown)).toEqual([])
    expect(await project.during('make', () => undefined)).toBe('')
  })
})
