import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile, chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeProgram } from '../../test/programs.ts'
import { makeWorkspace, type TestWorkspace } from '../../test/test-workspace.ts'

const URL = 'http://127.0.0.1:9'

let workspace: TestWorkspace
beforeEach(async () => {
  workspace = await makeWorkspace(URL)
})
afterEach(() => workspace.remove())

const at = (...parts: string[]) => join(workspace.root, ...parts)

async function git(...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: workspace.root, GIT_CONFIG_NOSYSTEM: '1' }
  const { stdout } = await promisify(execFile)('git', args, { cwd: workspace.root, env })
  return stdout
}

/** The files of a workspace that git would commit. */
async function committed(): Promise<string[]> {
  await mkdir(at('.pml', 'approvals'), { recursive: true })
  for (const name of ['mcp.lock', 'mcp.lock.0123456789abcdef.tmp', 'approvals/a.json', 'mcp.lock.held'])
    await writeFile(at('.pml', name), '')
  const files = (await git('ls-files', '--others', '--exclude-standard', '.pml')).trim()
  return files === '' ? [] : files.split('\n')
}

describe('pml init', () => {
  it('writes .pml.json, its own id, and what git ignores', async () => {
    const { exit, stdout } = await workspace.run(['init', '--json'])
    expect([exit, JSON.parse(stdout)]).toEqual([
      0,
      { workspace: workspace.root, created: ['.pml.json', '.gitignore'] },
    ])
    expect(await readFile(at('.pml.json'), 'utf8')).toBe(
      `${JSON.stringify(
        {
          version: 1,
          workspace: 'work',
          cloud: { url: `${URL}/` },
          permissions: { allow: [], deny: [], ask: ['*'] },
        },
        null,
        2,
      )}\n`,
    )
    expect(await readdir(at('.pml'))).toEqual(['client-id'])
    expect(await readFile(at('.pml', 'client-id'), 'utf8')).toMatch(/^[0-9a-f-]{36}\n$/)
    expect((await stat(at('.pml', 'client-id'))).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['is none', undefined],
    ['has no last newline', 'node_modules'],
    ['ignores .pml/', 'a\n.pml/\nb\n'],
    ['ignores .pml', '.pml\n'],
    ['ignores /.pml/**', '/.pml/**\n'],
    ['ignores **/.pml', '**/.pml\n'],
    ['ignores *.lock', '*.lock\n'],
    ['ignores **/mcp.lock', '**/mcp.lock\n'],
    ['ignores what begins with a dot', '.*\n'],
    ['ignores everything', '*\n!src\n'],
    [
      'has rules after ours',
      '!.pml/\n.pml/*\n!.pml/mcp.lock\n!.pml/enforcement.json\n!.pml/servers/\n!.pml/servers/*.json\n!.pml/mcp/\n!.pml/mcp/*.json\n*.lock\n.pml\n',
    ],
    ['has Windows line ends', 'a\r\n.pml/\r\n'],
    [
      'has ours already',
      'a\n!.pml/\n.pml/*\n!.pml/mcp.lock\n!.pml/enforcement.json\n!.pml/servers/\n!.pml/servers/*.json\n!.pml/mcp/\n!.pml/mcp/*.json\nb\n',
    ],
    ['has those of a version before', 'c\n!.pml/\n.pml/*\n!.pml/mcp.lock\n!.pml/enforcement.json\nb\n'],
    ['has those of an older version', 'c\n!.pml/\n.pml/*\n!.pml/mcp.lock\nb\n'],
    ['ignores *.json', '*.json\n'],
    [
      'has rules for folders of such names after ours',
      '!.pml/\n.pml/*\n!.pml/mcp.lock\n!.pml/enforcement.json\n!.pml/servers/\n!.pml/servers/*.json\n!.pml/mcp/\n!.pml/mcp/*.json\nservers/\nmcp\n',
    ],
  ])(
    'makes git ignore .pml except mcp.lock, the policy and the servers, if .gitignore %s',
    async (_, before) => {
      await git('init', '--quiet')
      if (before !== undefined) await writeFile(at('.gitignore'), before)
      expect((await workspace.run(['init'])).exit).toBe(0)
      expect(await committed()).toEqual(['.pml/mcp.lock'])
      for (const file of ['mcp.lock', 'enforcement.json', 'servers/a.json', 'mcp/a.json'].map(
        (one) => `.pml/${one}`,
      ))
        await expect(git('check-ignore', file)).rejects.toMatchObject({ code: 1 })
      expect((await git('check-ignore', '.pml/client-id')).trim()).toBe('.pml/client-id')
      const after = await readFile(at('.gitignore'), 'utf8')
      const mine = (before ?? '').split('\n').filter((line) => line !== '' && !line.includes('.pml/'))
      expect(after.split('\n')).toEqual(expect.arrayContaining(mine))
      const again = await workspace.run(['init', '--json'])
      expect(JSON.parse(again.stdout)).toMatchObject({ created: [] })
      expect(await readFile(at('.gitignore'), 'utf8')).toBe(after)
      if (before?.startsWith('a\n!.pml/')) expect(after).toBe(before)
    },
  )

  it('keeps the modes of existing files', async () => {
    await writeFile(at('.gitignore'), 'a\n')
    await chmod(at('.gitignore'), 0o600)
    await workspace.run(['init'])
    expect((await stat(at('.gitignore'))).mode & 0o777).toBe(0o600)
  })

  it('keeps an existing .pml.json, and refuses a broken one', async () => {
    await workspace.writeConfig({ permissions: { deny: ['shell'] } })
    const mine = await readFile(at('.pml.json'), 'utf8')
    expect(JSON.parse((await workspace.run(['init', '--json'])).stdout)).toMatchObject({
      created: ['.gitignore'],
    })
    expect(await readFile(at('.pml.json'), 'utf8')).toBe(mine)
    await writeFile(at('.pml.json'), '{"permissions": {"denny": []}')
    const { exit, stderr } = await workspace.run(['init'])
    expect([exit, stderr]).toEqual([2, expect.stringContaining('.pml.json')])
    expect(await readFile(at('.pml.json'), 'utf8')).toBe('{"permissions": {"denny": []}')
  })
})

describe('the id of a workspace', () => {
  it('is created once by many concurrent processes', async () => {
    const program = await makeProgram('lock-writer')
    try {
      const all = Array.from({ length: 20 }, () => program.start(['client id', workspace.root]))
      await Promise.all(all.map((running) => running.line()))
      for (const running of all) running.go()
      const ids = await Promise.all(all.map((running) => running.line()))
      expect(new Set(ids)).toEqual(new Set([(await readFile(at('.pml', 'client-id'), 'utf8')).trim()]))
      expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(all.map(() => 0))
      expect(await readdir(at('.pml'))).toEqual(['client-id'])
    } finally {
      await program.remove()
    }
  })

  it('is an error if empty, because all empty ids are equal', async () => {
    await mkdir(at('.pml'))
    await writeFile(at('.pml', 'client-id'), '')
    const { exit, stderr } = await workspace.run(['init'])
    expect([exit, stderr]).toEqual([
      2,
      expect.stringContaining('client-id: expected an id that pml wrote; remove it'),
    ])
  })
})
