import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunOptions } from '../../../test/pml-process.ts'
import { makeWorkspace, type TestWorkspace } from '../../../test/test-workspace.ts'

let workspace: TestWorkspace
beforeEach(async () => {
  workspace = await makeWorkspace('http://127.0.0.1:9')
  workspace.env['XDG_CONFIG_HOME'] = join(workspace.root, '..', 'config')
})
afterEach(() => workspace.remove())

const at = (...parts: string[]) => join(workspace.root, ...parts)
const validate = (argv: string[] = [], options?: RunOptions) =>
  workspace.run(['mcp', 'validate', ...argv], options)

async function write(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  return path
}

describe('pml mcp validate', () => {
  it('lists the searched places when there is nothing', async () => {
    const config = workspace.env['XDG_CONFIG_HOME'] ?? ''
    const extra = await write(at('..', 'more.json'), '{ "servers": {} }')
    const places = [at('.pml', 'mcp'), at('.mcp.json'), join(config, 'pml', 'mcp')]
    expect(await validate()).toEqual({
      exit: 0,
      stdout: `No files that describe servers\nLooked for in:\n${places.map((place) => `  ${place}\n`).join('')}`,
      stderr: '',
    })
    const { stdout } = await validate(['--json'], { env: { PML_MCP_PATH: extra } })
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      places: [...places, extra],
      files: [extra],
      problems: [],
      warnings: [],
    })
  })

  it('names every problem of every file with its place, and what is hidden', async () => {
    const first = await write(
      at('.pml', 'mcp', 'files.json'),
      '{\n  "command": "npx",\n  "agrs": ["-y"]\n}\n',
    )
    const second = await write(at('.pml', 'mcp', 'half.json'), '{ "command": ')
    const third = await write(at('.pml', 'mcp', 'hub.json'), '{ "command": "npx" } // fine')
    const theirs = await write(
      at('.mcp.json'),
      '{"mcpServers":{"hub":{"command":"x"},"far":{"url":"http://a.b"}}}',
    )
    expect(await validate()).toEqual({
      exit: 4,
      stdout: [
        `${first}:3:3: agrs: expected args; rename it`,
        `${second}:1:14: expected valid JSON: value expected`,
        `${second}:1:14: expected valid JSON: close brace expected`,
        `${theirs}:1:51: mcpServers.far.url: expected https, as the host is not this machine; write "https://…"`,
        `warning: Server hub of ${theirs} is ignored because ${third} comes first`,
        '4 files, 4 problems',
        '',
      ].join('\n'),
      stderr: '',
    })
    const { exit, stdout } = await validate(['--json'])
    expect(exit).toBe(4)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      files: [first, second, third, theirs],
      problems: [
        { file: first, line: 3, column: 3, path: 'agrs', message: 'expected args; rename it' },
        { file: second },
        { file: second },
        { file: theirs, path: 'mcpServers.far.url' },
      ],
      warnings: [expect.stringContaining('comes first')],
    })
  })

  it('looks at the files and folders that it is given, and at nothing else', async () => {
    await write(at('.mcp.json'), '{')
    await write(at('some', 'a.json'), '{ "command": "x" }')
    await write(at('some', 'b.json'), '{ "url": "https://example.com" }')
    await write(at('odd.txt'), '{ "name": "c", "command": "x" }')
    expect(await validate(['some', 'odd.txt'])).toMatchObject({ exit: 0, stdout: '3 files, no problems\n' })
    expect(await validate(['some', '.mcp.json'])).toMatchObject({ exit: 4 })
  })

  it('refuses a missing file', async () => {
    await write(at('a.json'), '{')
    const { exit, stdout, stderr } = await validate(['a.json', 'gone.json', '--json'])
    expect({ exit, stderr }).toMatchObject({ exit: 1 })
    expect(JSON.parse(stdout || stderr)).toMatchObject({
      error: 'not_found',
      name: 'ErrFileNotFound',
      message: `Cannot validate ${at('gone.json')}: there is no such file or folder`,
    })
  })

  it('names a file that this user may not read', async () => {
    const file = await write(at('.pml', 'mcp', 'a.json'), '{ "command": "x" }')
    await write(at('.pml', 'mcp', 'b.json'), '{ "command": "x" }')
    await chmod(file, 0o000)
    const { exit, stdout } = await workspace.runAsUser(['mcp', 'validate'])
    expect(exit).toBe(4)
    expect(stdout).toBe(
      `${file}:1:1: Cannot read ${file}: permission denied; change its owner or mode\n2 files, 1 problem\n`,
    )
  })

  it('repeats nothing that could be a secret', async () => {
    await write(
      at('.mcp.json'),
      '{"mcpServers":{"a":{"command":"x","env":{"TOKEN":"sesame","B":["sesame"]},"args":{"x":"sesame"}}}}',
    )
    const { exit, stdout, stderr } = await validate()
    expect(exit).toBe(4)
    expect(stdout + stderr).not.toContain('sesame')
  })
})
