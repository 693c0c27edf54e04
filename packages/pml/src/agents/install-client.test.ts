import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHookedProject, type HookedProject } from '../../test/hooked-project.ts'
import { hasTerminal, runOnTerminal } from '../../test/terminal.ts'
import type { AnyAgentName } from '@pml/hooks/agents'
import { homeOf, processOps } from '../machine/ops.ts'
import type { CommandContext } from '../commands/command.ts'
import { clientNames, gatewayOf } from './client-settings.ts'
import { installClient } from './install-client.ts'

const ownFile = fileURLToPath(new URL('../../bin/pml.js', import.meta.url))
const MARK = '\u{feff}'

let project: HookedProject
beforeEach(async () => {
  project = await makeHookedProject()
})
afterEach(() => project.remove())

interface Golden {
  readonly file: string
  readonly before: string
  after(): string
}

const goldens: Partial<Record<AnyAgentName, Golden>> = {
  claude: {
    file: '.mcp.json',
    before: `{
  // ours
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "files"] } // theirs
  }
}
`,
    after: () => `{
  // ours
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "files"] }, // theirs
    "pml": {
      "type": "stdio",
      "command": "node",
      "args": [
        "\${CLAUDE_PROJECT_DIR:-.}/node_modules/@pml-registry/pml/bin/pml.js",
        "serve"
      ]
    }
  }
}
`,
  },
  cursor: {
    file: '.cursor/mcp.json',
    before: `${MARK}{\r\n\t"mcpServers": {\r\n\t\t"a": { "url": "https://a.b" },\r\n\t},\r\n}\r\n`,
    after: () =>
      `${MARK}{\r\n\t"mcpServers": {\r\n\t\t"a": { "url": "https://a.b" },\r\n\t\t"pml": {\r\n\t\t\t"command": "node",\r\n\t\t\t"args": [\r\n` +
      `\t\t\t\t"\${workspaceFolder}/node_modules/@pml-registry/pml/bin/pml.js",\r\n\t\t\t\t"serve"\r\n\t\t\t]\r\n\t\t},\r\n\t},\r\n}\r\n`,
  },
  vscode: {
    file: '.vscode/mcp.json',
    before: '{ "inputs": [] }\n',
    after: () =>
      '{ "inputs": [], "servers": {"pml":{"type":"stdio","command":"node","args":["${workspaceFolder}/node_modules/@pml-registry/pml/bin/pml.js","serve"]}} }\n',
  },
  codex: {
    file: '.codex/config.toml',
    before: `model = "x" # the best

[mcp_servers.files]
command = "npx"
args = [
  "-y", # quiet
]

# about profiles
[profiles.a]
model = "y"
`,
    after: () => `model = "x" # the best

[mcp_servers.files]
command = "npx"
args = [
  "-y", # quiet
]

# about profiles
[profiles.a]
model = "y"

[mcp_servers.pml]
command = "node"
args = ["${ownFile}", "serve"]
required = true
`,
  },
  gemini: {
    file: '.gemini/settings.json',
    before: '{\n  "theme": "dark"\n}\n',
    after: () => `{
  "theme": "dark",
  "mcpServers": {
    "pml": {
      "command": "node",
      "args": [
        "${ownFile}",
        "serve"
      ]
    }
  }
}
`,
  },
  opencode: {
    file: 'opencode.json',
    before: `{
  // mine
  "theme": "system",
  "mcp": {
    "files": { "type": "local", "command": ["npx", "-y", "files"] }
  }
}
`,
    after: () => `{
  // mine
  "theme": "system",
  "mcp": {
    "files": { "type": "local", "command": ["npx", "-y", "files"] },
    "pml": {
      "type": "local",
      "command": [
        "node",
        "${ownFile}",
        "serve"
      ],
      "enabled": true
    }
  }
}
`,
  },
}

describe.each(clientNames)('pml client install %s', (client) => {
  const { file, before, after } = goldens[client] as Golden
  const install = (...flags: string[]) => project.run(['client', 'install', client, ...flags])
  const uninstall = (...flags: string[]) => project.run(['client', 'uninstall', client, ...flags])

  it('adds the gateway and leaves every other byte; uninstall gives them back', async () => {
    await project.write(project.at(file), before)
    const { exit, stdout } = await install('--yes')
    expect(exit).toBe(0)
    expect(await project.read(project.at(file))).toBe(after())
    expect(stdout).toContain(`${project.at(file)}: written`)
    expect(stdout).toContain('pml.js')
    expect((await install('--yes')).stdout).toContain('unchanged')
    expect((await uninstall('--yes')).stdout).toContain('written')
    expect(await project.read(project.at(file))).toBe(before)
    expect((await uninstall('--yes')).stdout).toContain('unchanged')
  })

  it('shows the change and writes nothing with --dry-run', async () => {
    await project.write(project.at(file), before)
    const { result, diff } = await project.json(['client', 'install', client, '--dry-run'])
    expect(result).toBe('not written')
    expect(diff).toContain('pml.js')
    expect(await project.read(project.at(file))).toBe(before)
  })

  it('makes a file where there is none, and takes it away again', async () => {
    expect(await project.json(['client', 'install', client, '--yes'])).toMatchObject({ result: 'written' })
    expect(await project.read(project.at(file))).toContain('pml.js')
    expect(await project.json(['client', 'uninstall', client, '--yes'])).toMatchObject({ result: 'removed' })
    expect(await project.read(project.at(file))).toBeUndefined()
  })

  it('updates the entry of an older version, and keeps a person’s additions', async () => {
    const { key } = gatewayOf(client)
    const isToml = file.endsWith('.toml')
    const old = isToml
      ? `[${key}."gate"] # mine\ncommand = "npx"\nargs = ["pml",\n  "serve"]\nenabled = true\n[${key}.gate.env]\nA = "b"\n`
      : JSON.stringify({ [key]: { gate: { env: { A: 'b' }, command: 'pml', args: ['serve'] } } }, null, 2)
    await project.write(project.at(file), old)
    await install('--yes')
    const text = (await project.read(project.at(file))) ?? ''
    const wanted = isToml ? after().match(/^args = .*pml\.js.*$/m)?.[0] : after().match(/"[^"]*pml\.js"/)?.[0]
    expect(text).toContain(wanted)
    expect(text).toContain('gate')
    expect(text).toContain(isToml ? 'A = "b"' : '"A": "b"')
    expect(text.match(/"serve"/g)).toHaveLength(1)
    await uninstall('--yes')
    expect(await project.read(project.at(file))).toBeUndefined()
  })

  it('refuses where pml is another server, and where the file is half-written', async () => {
    const { key } = gatewayOf(client)
    const isToml = file.endsWith('.toml')
    const other = isToml
      ? `[${key}.pml]\ncommand = "x"\n`
      : JSON.stringify({ [key]: { pml: { command: 'x' } } })
    for (const text of [other, isToml ? `[${key}.pml` : `{ "${key}": {`]) {
      await project.write(project.at(file), text)
      const { exit, stderr } = await install('--yes')
      expect(exit).toBe(2)
      expect(stderr).toMatch(/^error: Cannot (?:read|change) /)
      expect(stderr).toContain(project.at(file))
      expect(await project.read(project.at(file))).toBe(text)
    }
    await project.write(project.at(file), other)
    expect((await uninstall('--yes')).stdout).toContain('unchanged')
  })
})

it.each<[AnyAgentName, string, Record<string, string>]>([
  ['claude', '.claude.json', {}],
  ['claude', 'moved/.claude.json', { CLAUDE_CONFIG_DIR: 'moved' }],
  ['cursor', '.cursor/mcp.json', {}],
  ['vscode', '.config/Code/User/mcp.json', {}],
  ['vscode', 'moved/Code/User/mcp.json', { XDG_CONFIG_HOME: 'moved' }],
  ['codex', '.codex/config.toml', {}],
  ['codex', 'moved/config.toml', { CODEX_HOME: 'moved' }],
  ['opencode', '.config/opencode/opencode.json', {}],
  ['opencode', 'moved/opencode/opencode.json', { XDG_CONFIG_HOME: 'moved' }],
  ['gemini', '.gemini/settings.json', {}],
  ['gemini', 'moved/.gemini/settings.json', { GEMINI_CLI_HOME: 'moved' }],
])('for a user, %s has it in %s, with the whole path of Node', async (client, file, moved) => {
  const env = Object.fromEntries(
    Object.entries(moved).map(([name, path]) => [name, join(project.home, path)]),
  )
  await mkdir(join(project.home, 'moved'))
  const { exit } = await project.run(['client', 'install', client, '--scope', 'user', '--yes'], { env })
  expect(exit).toBe(0)
  const text = (await project.read(join(project.home, file))) ?? ''
  expect(text).toContain(JSON.stringify(process.execPath))
  expect(text).toContain(JSON.stringify(ownFile))
})

it.each<[NodeJS.Platform, Record<string, string>, string]>([
  ['darwin', { HOME: '/h' }, '/h/Library/Application Support/Code/User/mcp.json'],
  ['win32', { USERPROFILE: '/h', APPDATA: '/r' }, '/r/Code/User/mcp.json'],
  ['win32', { USERPROFILE: '/h' }, '/h/AppData/Roaming/Code/User/mcp.json'],
])('VS Code of a user keeps it on %s where that system has it', (platform, env, path) => {
  const where = { root: '/p', home: homeOf(env), platform, env }
  expect(gatewayOf('vscode').files.user(where).path).toBe(path)
})

it('says when the path is of this machine only', async () => {
  expect((await project.json(['client', 'install', 'codex', '--yes']))['notes']).toContainEqual(
    expect.stringContaining('do not share the file'),
  )
  expect((await project.json(['client', 'install', 'claude', '--yes']))['notes']).not.toContainEqual(
    expect.stringContaining('do not share the file'),
  )
})

it('splits a line that stands in the command alone', async () => {
  await project.write(project.at('.mcp.json'), '{ "mcpServers": { "pml": { "command": "pml serve" } } }')
  await project.run(['client', 'install', 'claude', '--yes'])
  const server =
    '{ "command": "node", "args": ["${CLAUDE_PROJECT_DIR:-.}/node_modules/@pml-registry/pml/bin/pml.js","serve"] }'
  expect(await project.read(project.at('.mcp.json'))).toBe(`{ "mcpServers": { "pml": ${server} } }`)
})

it('follows no link out of the project', async () => {
  await project.write(join(project.home, 'theirs.json'), '{}')
  await symlink(join(project.home, 'theirs.json'), project.at('.mcp.json'))
  const { exit, stderr } = await project.run(['client', 'install', 'claude', '--yes'])
  expect({ exit, stderr }).toMatchObject({ exit: 1, stderr: expect.stringContaining('leads out of') })
  expect(await project.read(join(project.home, 'theirs.json'))).toBe('{}')
})

it.each([
  'mcp_servers = { files = { command = "x" } }\n',
  '[mcp_servers]\npml = { command = "pml", args = ["serve"] }\n',
  'text = """\n[mcp_servers.pml]\ncommand = "pml"\n"""\n[mcp_servers.pml]\n"command" = "pml"\nargs = ["serve"]\n',
])('leaves TOML alone that is written in a way that it cannot change: %j', async (text) => {
  await project.write(project.at('.codex', 'config.toml'), text)
  const { exit, stderr } = await project.run(['client', 'install', 'codex', '--yes'])
  expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining('change it by hand') })
  expect(await project.read(project.at('.codex', 'config.toml'))).toBe(text)
})

it('removes sections of TOML, and keeps comments on others', async () => {
  const kept = '# first\n[a]\nb = 1\n\n# about c\n[c]\nd = 2\n'
  const text = kept.replace(
    '\n# about c',
    '\n[mcp_servers.pml]\ncommand = "pml"\nargs = ["serve"]\n[mcp_servers.pml.env]\nX = "y"\n\n# about c',
  )
  await project.write(project.at('.codex', 'config.toml'), text)
  await project.run(['client', 'uninstall', 'codex', '--yes'])
  expect(await project.read(project.at('.codex', 'config.toml'))).toBe(kept)
})

it('does not overwrite a file that changed during the confirmation', async () => {
  const file = project.at('.mcp.json')
  await project.write(file, '{}')
  const context = {
    ops: processOps(project.env),
    workspace: project.workspace.root,
    confirm: async () => {
      await project.write(file, '{"theirs":1}')
      return true
    },
  } as unknown as CommandContext
  const request = { client: 'claude', scope: 'project', isDryRun: false, isSure: false } as const
  await expect(installClient(context, request)).rejects.toThrow('it was changed in the meantime')
  expect(await project.read(file)).toBe('{"theirs":1}')
})

it.runIf(hasTerminal).each([
  ['y\r', 'written'],
  ['n\r', 'declined'],
])('shows the change to a person first, and %j means %s', async (key, result) => {
  const terminal = { ...project.workspace, env: project.env }
  const { exit, text } = await runOnTerminal(terminal, ['client', 'install', 'claude'], [key])
  expect(exit).toBe(0)
  expect(text.indexOf('+  "mcpServers": {')).toBeLessThan(text.indexOf('Approve?'))
  expect(text).toContain(`.mcp.json: ${result}`)
  expect((await project.read(project.at('.mcp.json'))) !== undefined).toBe(result === 'written')
})
