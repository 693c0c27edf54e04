import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { hookedProject, type HookedProject } from '../../test/hook-place.ts'

const TEST = "it('a', () => {\n  expect(f()).toBe(1)\n})\n"

let project: HookedProject
beforeEach(() => {
  project = hookedProject()
})

const verdict = async (tool: string, input: object) => (await project.call(tool, input)).exitCode
const write = (file_path: string) => verdict('Write', { file_path, content: '{}' })
const run = (command: string) => verdict('Bash', { command })

function atHome(path: string): string {
  const file = join(project.home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '{}\n')
  return file
}

describe('a hard link', () => {
  it.each(['.pml.json', '.claude/settings.json', '.pml/mcp.lock', '.codex/hooks.json'])(
    'to %s counts as the file',
    async (path) => {
      linkSync(project.write(path, '{}\n'), join(project.root, 'notes.md'))
      expect(await write('notes.md')).toBe(2)
      expect(await run('echo "{}" > notes.md')).toBe(2)
      expect(await verdict('Edit', { file_path: 'notes.md', old_string: '{', new_string: '{ ' })).toBe(2)
    },
  )

  it('to settings of the home counts as the file', async () => {
    linkSync(atHome('.claude/settings.json'), join(project.root, 'notes.md'))
    linkSync(atHome('.codex/config.toml'), join(project.root, 'more.md'))
    expect([await write('notes.md'), await write('more.md')]).toEqual([2, 2])
  })

  it('to a file that a rule speaks of counts as the file, deep in the project too', async () => {
    const file = project.write('a/b/c/d.test.ts', TEST)
    linkSync(file, join(project.root, 'notes.md'))
    expect(await write('notes.md')).toBe(2)
  })

  it('behind a symbolic link counts as well', async () => {
    linkSync(project.write('.pml.json', '{}\n'), join(project.root, 'hard.md'))
    symlinkSync('hard.md', join(project.root, 'soft.md'))
    expect(await write('soft.md')).toBe(2)
  })

  it('to an ordinary file is ordinary', async () => {
    linkSync(project.write('a.md', 'x\n'), join(project.root, 'b.md'))
    expect([await write('b.md'), await run('echo x > b.md')]).toEqual([0, 0])
  })
})

describe('.. behind a link', () => {
  beforeEach(() => {
    project.write('guarded/inner/a.md', 'x\n')
    project.write('guarded/.pml.json', '{}\n')
    project.write('other/b.md', 'x\n')
    symlinkSync(join(project.root, 'guarded', 'inner'), join(project.root, 'other', 'link'))
    project.write('guarded/c.test.ts', TEST)
  })

  it('leads up from where the link leads', async () => {
    expect(await write('other/link/../c.test.ts')).toBe(2)
    expect(await run('echo x > other/link/../c.test.ts')).toBe(2)
    expect(await run('cd other && echo x > link/../c.test.ts')).toBe(2)
    expect(await run('cd other && echo x > ./link/.././c.test.ts')).toBe(2)
    expect(await run(`echo x > ${project.root}/other/link/../c.test.ts`)).toBe(2)
  })

  it('hides no test from the rules, whichever of both files a program means', async () => {
    project.write('other/c.test.ts', TEST)
    const gone = { file_path: 'other/link/../c.test.ts', content: "it('a', () => {})\n" }
    expect(await verdict('Write', gone)).toBe(2)
    project.write('guarded/c.test.ts', "it('a', () => {})\n")
    expect(await verdict('Write', gone)).toBe(2)
  })

  it('leads to a file that does not exist yet', async () => {
    symlinkSync(join(project.home, '.claude', 'x'), join(project.root, 'away'))
    atHome('.claude/x/y.md')
    expect(await write('away/../settings.json')).toBe(2)
    expect(await run('echo "{}" > away/../settings.json')).toBe(2)
  })

  it('is the path itself if there is no link', async () => {
    expect(await write('other/../other/b.md')).toBe(0)
    expect(await run('echo x > other/../other/b.md')).toBe(0)
  })
})
