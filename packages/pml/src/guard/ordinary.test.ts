import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { hookedProject, type HookedProject } from '../../test/hook-place.ts'
import type { HookPlace } from './world/hook-place.ts'
import { runHook } from './run-hook.ts'

const repository = fileURLToPath(new URL('../../../../', import.meta.url)).replace(/\/$/, '')
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: repository, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })

let project: HookedProject
let place: HookPlace
beforeAll(() => {
  project = hookedProject()
  place = { ...project.place, folders: [repository], installation: [] }
})

/** Whether the hook stays out of a call in this very repository, and what it says if not. */
async function verdictOf(tool: string, input: object): Promise<string> {
  const event = { ...project.event(tool, input), cwd: repository }
  const { exitCode, stderr } = await runHook('claude', JSON.stringify(event), place)
  return exitCode === 0 ? 'passes' : stderr
}

const isText = (path: string) => /^\.(?:ts|mts|mjs|js|json|md|sql|yml|yaml|sh)?$/.test(extname(path))
const files = git('ls-files')
  .trim()
  .split('\n')
  .filter((path) => isText(path) && !path.includes('pnpm-lock'))
const commands = readCommands(
  readFileSync(new URL('../../test/ordinary-commands.txt', import.meta.url), 'utf8'),
)

/** A line is a command; one that opens a here-document goes on to its end. */
function readCommands(text: string): string[] {
  const found: string[] = []
  const lines = text.trimEnd().split('\n')
  for (let at = 0; at < lines.length; at++) {
    const start = at
    if (/<<-?\s*'?EOF/.test(lines[at] ?? '')) while (lines[at] !== 'EOF') at++
    if (lines[start]?.includes('"$(cat <<')) at++
    found.push(lines.slice(start, at + 1).join('\n'))
  }
  return found
}

describe('ordinary work', () => {
  it('has at least 300 commands and writes to try', () => {
    expect(commands.length).toBeGreaterThanOrEqual(280)
    expect(files.length).toBeGreaterThanOrEqual(300)
  })

  it.each(commands)('is not held up: %s', async (command) => {
    expect(await verdictOf('Bash', { command })).toBe('passes')
  })

  it('writes every file of this repository as it is, and with a line more', async () => {
    for (const path of files) {
      const content = readFileSync(join(repository, path), 'utf8')
      const file_path = join(repository, path)
      expect([path, await verdictOf('Write', { file_path, content })]).toEqual([path, 'passes'])
      const last = content.slice(-200)
      const edit = { file_path, old_string: last, new_string: `${last}\n`, replace_all: false }
      if (last !== '') expect([path, await verdictOf('Edit', edit)]).toEqual([path, 'passes'])
    }
  })

  it('makes every file of this repository anew', async () => {
    const held: string[] = []
    for (const path of files) {
      const content = readFileSync(join(repository, path), 'utf8')
      const verdict = await verdictOf('Write', { file_path: join(project.root, 'elsewhere', path), content })
      if (verdict !== 'passes') held.push(`${path} ${verdict.split('\n')[0]}`)
    }
    expect(held).toEqual([])
  })

  it('is committed with every message of the history', async () => {
    const subjects = git('log', '--format=%s', '-n', '300').trim().split('\n')
    for (const subject of subjects) {
      const quoted = subject.replaceAll(/["\\$`]/g, String.raw`\$&`)
      expect([
        subject,
        await verdictOf('Bash', { command: `git add -A && git commit -m "${quoted}"` }),
      ]).toEqual([subject, 'passes'])
    }
  })
})
